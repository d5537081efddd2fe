"""The flite library (Debian package flite) spoken to directly: no process and no file for a sentence."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from ctypes import POINTER, c_char_p, c_float, c_int, c_short, c_void_p

import numpy as np

RATE = 16_000
F0 = {"slt": {"low": 145.0, "high": 215.0}, "awb": {"low": 102.0, "high": 165.0}, "kal16": {"low": 80.0, "high": 125.0}}
"""Mean pitch in Hz; "normal" is the voice's own. rms pays no attention to it."""


class _Wave(ctypes.Structure):
    _fields_ = [("type", c_char_p), ("rate", c_int), ("count", c_int), ("channels", c_int), ("data", POINTER(c_short))]


class _Voice(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("features", c_void_p)]


class Flite:
    """All four voices in one process."""

    def __init__(self) -> None:
        for name in ("usenglish", "cmulex"):
            ctypes.CDLL(f"libflite_{name}.so.1", mode=ctypes.RTLD_GLOBAL)
        self.library = ctypes.CDLL("libflite.so.1", mode=ctypes.RTLD_GLOBAL)
        self.library.flite_init()
        for name, result, arguments in (
            ("flite_synth_text", c_void_p, [c_char_p, c_void_p]),
            ("delete_utterance", None, [c_void_p]),
            ("utt_wave", POINTER(_Wave), [c_void_p]),
            ("utt_relation", c_void_p, [c_void_p, c_char_p]),
            ("relation_head", c_void_p, [c_void_p]),
            ("item_next", c_void_p, [c_void_p]),
            ("item_feat_string", c_char_p, [c_void_p, c_char_p]),
            ("item_feat_float", c_float, [c_void_p, c_char_p]),
        ):
            function = getattr(self.library, name)
            function.restype, function.argtypes = result, arguments
        self.library.feat_set_float.argtypes = [c_void_p, c_char_p, c_float]
        self.library.feat_remove.argtypes = [c_void_p, c_char_p]
        self.libc = ctypes.CDLL(None)
        self.voices = {name: self._register(name) for name in ("slt", "rms", "awb", "kal16")}

    def _register(self, name: str) -> ctypes._Pointer[_Voice]:
        register = getattr(ctypes.CDLL(f"libflite_cmu_us_{name}.so.1"), f"register_cmu_us_{name}")
        register.restype, register.argtypes = POINTER(_Voice), [c_char_p]
        return register(None)

    def speak(
        self, text: str, voice: str, stretch: float = 1.0, f0: float | None = None
    ) -> tuple[np.ndarray, list[tuple[str, float]]]:
        """int16 [n] at 16 kHz as flite makes it, and its phones, each with the second of its end.

        ``stretch`` above 1 is slower, ``f0`` the mean pitch in Hz.
        """
        self.libc.srand(1)  # the breath in the voices comes from rand(): the same sound in any order and process
        pointer = self.voices[voice]
        features = pointer.contents.features
        self.library.feat_set_float(features, b"duration_stretch", stretch)
        if f0 is not None:
            self.library.feat_set_float(features, b"int_f0_target_mean", f0)
        elif voice == "kal16":
            self.library.feat_set_float(features, b"int_f0_target_mean", 95.0)
        else:
            self.library.feat_remove(features, b"int_f0_target_mean")
        utterance = self.library.flite_synth_text(text.encode("ascii"), pointer)
        try:
            wave = self.library.utt_wave(utterance).contents
            if wave.rate != RATE or wave.channels != 1:
                raise RuntimeError(f"voice {voice} speaks at {wave.rate} Hz")
            return np.ctypeslib.as_array(wave.data, (wave.count,)).copy(), list(self._phones(utterance))
        finally:
            self.library.delete_utterance(utterance)

    def _phones(self, utterance: int) -> Iterator[tuple[str, float]]:
        item = self.library.relation_head(self.library.utt_relation(utterance, b"Segment"))
        while item:
            name = self.library.item_feat_string(item, b"name").decode("ascii")
            yield name, self.library.item_feat_float(item, b"end")
            item = self.library.item_next(item)


def trimmed(
    samples: np.ndarray, before: float = 0.05, after: float = 0.1, peak: float = 0.7
) -> tuple[np.ndarray, float]:
    """float32 [n] with its highest peak at ``peak`` and that much silence (seconds) at the two ends.

    The second value says how many seconds earlier everything comes now.
    """
    wave = samples.astype(np.float32)
    wave *= peak / max(1.0, float(np.abs(wave).max()))
    frame = RATE // 100
    levels = np.sqrt((wave[: len(wave) // frame * frame].reshape(-1, frame) ** 2).mean(axis=1))
    loud = np.flatnonzero(levels > 0.01 * levels.max())
    start, end = int(loud[0]) * frame, (int(loud[-1]) + 1) * frame
    room_before, room_after = int(before * RATE), int(after * RATE)
    padded = np.pad(wave, (room_before, room_after))
    return padded[start : end + room_before + room_after], start / RATE - before
