"""Microphones behind a small interface, so that tests can bring their own and a machine without any still works."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from app.audio.portaudio import AudioDevice, NoSound, in_turn, library, named

log = logging.getLogger(__name__)

# Seconds. Nobody waits for what is recorded, and a long buffer loses nothing behind a busy window and model.
_LATENCY = 0.2
_SERVER_RATE = 48000

# Takes mono float32 [frames], valid during the call only; on the audio thread. True: the device lost sound before.
InputCallback = Callable[[np.ndarray, bool], None]


class InputStream(Protocol):
    """An open, running input. ``rate`` is the device's own in Hz."""

    @property
    def rate(self) -> int:
        """Frames per second."""
        ...

    @property
    def latency(self) -> float:
        """Seconds from the microphone to the callback."""
        ...

    @property
    def active(self) -> bool:
        """False once the device has gone or failed."""
        ...

    def close(self) -> None:
        """Stop at once and let go of the device; no call comes after it. Harmless when repeated."""
        ...


class InputBackend(Protocol):
    """A way to microphones. All methods raise NoSound with the reason."""

    def probe_input(self, key: str = "") -> str:
        """Return the name of the device that would record: the one of ``key``, else the system's choice."""
        ...

    def inputs(self) -> list[AudioDevice]:
        """Return every device that can record."""
        ...

    def open_input(self, callback: InputCallback, key: str = "") -> InputStream:
        """Open the device of ``key`` (else the system's choice) at its own rate and start it."""
        ...


class SoundDeviceInputs:
    """PortAudio through sounddevice."""

    @in_turn
    def probe_input(self, key: str = "") -> str:
        """Return the input device's name."""
        return str(self._input(library(), key)["name"])

    @in_turn
    def inputs(self) -> list[AudioDevice]:
        """Return every device with an input, each once."""
        sounds = library()
        try:
            found = [named(sounds, device) for device in sounds.query_devices() if _records(device)]
        except (sounds.PortAudioError, ValueError, OSError) as error:
            raise NoSound("device", str(error)) from error
        return list(dict.fromkeys(found))

    @in_turn
    def open_input(self, callback: InputCallback, key: str = "") -> InputStream:
        """Open and start the input device."""
        sounds = library()
        device = self._input(sounds, key)
        index = int(device["index"])
        try:
            rate, channels = _form_of(sounds, device)
            return _PortAudioInput(sounds, index, rate, channels, callback)
        except (sounds.PortAudioError, ValueError, OSError) as error:
            raise NoSound("failed", str(error)) from error

    def _input(self, sounds: Any, key: str) -> dict[str, Any]:
        try:
            if key:
                for device in sounds.query_devices():
                    if _records(device) and named(sounds, device).key == key:
                        return dict(device)
                log.info("The chosen microphone is not there; the system's is used")
            return dict(sounds.query_devices(kind="input"))
        except (sounds.PortAudioError, ValueError, OSError) as error:
            raise NoSound("device", str(error)) from error


class _PortAudioInput:
    """A running PortAudio input; of several channels the first one counts."""

    def __init__(self, sounds: Any, device: int, rate: int, channels: int, callback: InputCallback) -> None:
        def take(data: np.ndarray, frames: int, time: object, status: Any) -> None:
            callback(data[:, 0], bool(status.input_overflow))

        self._stream = sounds.InputStream(
            device=device, samplerate=rate, channels=channels, dtype="float32", latency=_LATENCY, callback=take
        )
        self.rate = rate
        self.latency = float(self._stream.latency)
        self._closed = False
        try:
            self._stream.start()
        except Exception:
            self.close()  # a device that is held and does not record would be lost to all others
            raise

    @property
    def active(self) -> bool:
        return not self._closed and bool(self._stream.active)

    @in_turn
    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._stream.abort(ignore_errors=True)
            self._stream.close(ignore_errors=True)


def _form_of(sounds: Any, device: dict[str, Any]) -> tuple[int, int]:
    """The rate to record at and the number of channels that the device gives."""
    rate = int(device["default_samplerate"])
    # ALSA always says 44100 Hz of its sound servers, which nearly all run at 48000 Hz and would convert twice.
    is_alsa = str(sounds.query_hostapis(device["hostapi"])["name"]) == "ALSA"
    rates = (_SERVER_RATE, rate) if is_alsa else (rate,)
    for wanted in rates:
        try:
            sounds.check_input_settings(device=int(device["index"]), channels=1, samplerate=wanted, dtype="float32")
        except (sounds.PortAudioError, ValueError):
            continue
        return wanted, 1
    return rate, int(device["max_input_channels"])  # some devices give all their channels or none


def _records(device: dict[str, Any]) -> bool:
    return int(device["max_input_channels"]) > 0
