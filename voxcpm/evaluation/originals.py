"""Original recordings of the test sentences: a folder of them, or Debian's small synthesiser flite."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from voxcpm.errors import AudioError, RequestError
from voxcpm.evaluation.sentences import Sentence
from voxcpm.evaluation.speakers import AUDIO_SUFFIXES
from voxcpm.foreign_audio import read_audio

_FLITE = "flite:"
_SECONDS = 60


def check_originals(source: str, sentences: Sequence[Sentence]) -> None:
    """Raise :class:`RequestError` unless ``source`` has, or can make, a recording of every sentence."""
    if source.startswith(_FLITE):
        voice, known = source.removeprefix(_FLITE), _flite_voices()
        if voice not in known:
            raise RequestError("originals", f"flite has no voice {voice!r}; it has {', '.join(known)}")
        return
    for file in _in_folder(Path(source), sentences):
        try:
            read_audio(file, max_seconds=1.0)
        except AudioError as error:
            raise RequestError("originals", f"{file}: {error}") from error


def original_recordings(source: str, sentences: Sequence[Sentence], folder: Path) -> list[Path]:
    """A recording of every sentence, in order. Those of a synthesiser are made in ``folder``, once."""
    if not source.startswith(_FLITE):
        return _in_folder(Path(source), sentences)
    voice = source.removeprefix(_FLITE)
    files = []
    for sentence in sentences:
        file = folder / f"{voice}-{hashlib.sha256(sentence.text.encode()).hexdigest()[:16]}.wav"
        if not file.is_file():
            part = file.with_suffix(".part")
            _flite("-voice", voice, "-t", sentence.text, "-o", str(part))
            part.replace(file)
        files.append(file)
    return files


def _in_folder(folder: Path, sentences: Sequence[Sentence]) -> list[Path]:
    """``001.wav`` or another audio file of that name for the first sentence, and so on."""
    found = {}
    if folder.is_dir():
        found = {path.stem: path for path in sorted(folder.iterdir()) if path.suffix.lower() in AUDIO_SUFFIXES}
    names = [f"{sentence.number:03d}" for sentence in sentences]
    missing = [name for name in names if name not in found]
    if missing:
        raise RequestError(
            "originals",
            f"{folder} has no recording of {len(missing)} of {len(names)} sentences (first: {missing[0]}.wav); name "
            "the recordings by the sentences' places, 001.wav on, or give flite:VOICE",
        )
    return [found[name] for name in names]


def _flite_voices() -> list[str]:
    said = _flite("-lv")
    return said.partition(":")[2].split()


def _flite(*arguments: str) -> str:
    program = shutil.which("flite")
    if program is None:
        raise RequestError("originals", "flite is not installed; install it (Debian: flite) or give a folder")
    try:
        done = subprocess.run(
            [program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise RequestError("originals", f"flite did not answer within {_SECONDS} s") from error
    if done.returncode:
        raise RequestError("originals", f"flite failed: {done.stderr.strip() or done.returncode}")
    return done.stdout
