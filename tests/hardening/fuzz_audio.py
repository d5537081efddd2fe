"""Sound files as nobody would make them by accident: mutations of WAV, FLAC, Ogg Vorbis, Opus and MP3, with marks."""

from __future__ import annotations

import io
import random
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import soundfile

from app.core.audio_files import AudioFileError, inspect
from app.core.sound_files import read_raw, read_sound, sections
from app.engine import hearing
from app.marks.choice import MarkChoice, MarkTools, Origin
from app.marks.export import export_audio
from app.marks.identity import make_secret
from app.marks.verify import verify
from voxcpm import foreign_audio
from voxcpm.audio import MAX_SECONDS
from voxcpm.errors import AudioError

FORMATS = ("wav", "flac", "ogg", "opus", "mp3")
_EXTREMES = (0, 1, 0x7F, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


def originals(folder: Path) -> dict[str, list[bytes]]:
    """Whole files of every format, bare and as they leave the studio, with label and content credentials."""
    at = np.arange(16000) / 16000
    tone = (0.4 * np.sin(2 * np.pi * 220 * at) * (1 + np.sin(2 * np.pi * 3 * at)) / 2).astype(np.float32)
    made: dict[str, list[bytes]] = {}
    for name, options in (
        ("wav", {"format": "WAV", "subtype": "PCM_16"}), ("flac", {"format": "FLAC"}),
        ("ogg", {"format": "OGG", "subtype": "VORBIS"}), ("opus", {"format": "OGG", "subtype": "OPUS"}),
        ("mp3", {"format": "MP3"}),
    ):  # fmt: skip
        out = io.BytesIO()
        soundfile.write(out, tone, 16000, **options)
        made[name] = [out.getvalue()]
    for subtype in ("PCM_U8", "PCM_24", "FLOAT", "DOUBLE", "MS_ADPCM", "ULAW"):
        out = io.BytesIO()
        soundfile.write(out, np.stack([tone, -tone], 1), 16000, format="WAV", subtype=subtype)
        made["wav"].append(out.getvalue())
    secret = make_secret()
    tools = MarkTools(lambda name, make: secret, lambda: None)  # type: ignore[arg-type, return-value]
    choice = MarkChoice(frozenset({"watermark"}), "hostile files")
    for name in ("wav", "flac", "opus", "mp3"):
        path = folder / f"marked.{name}"
        export_audio(tone, 16000, path, origin=Origin(), tools=tools, choice=choice)
        made[name].append(path.read_bytes())
    return made


def mutated(data: bytes, rng: random.Random, other: bytes) -> tuple[bytes, str]:
    """Change a file in one to three ways; the header, where sizes stand, more often than the rest."""
    out, done = bytearray(data), []
    for _ in range(rng.choice((1, 1, 2, 3))):
        how = rng.choice(("bytes", "size", "cut", "insert", "remove", "repeat", "zeros", "splice", "head", "noise"))
        near = 96 if rng.random() < 0.7 else len(out)
        at = rng.randrange(max(1, min(near, len(out))))
        if how == "bytes":
            for _ in range(rng.choice((1, 4, 32))):
                out[rng.randrange(max(1, min(near, len(out)))) if out else 0 : at] = b""
                if out:
                    out[rng.randrange(min(near, len(out)))] = rng.randrange(256)
        elif how == "size":
            out[at : at + 4] = struct.pack(rng.choice("<>") + "I", rng.choice(_EXTREMES))
        elif how == "cut":
            del out[rng.randrange(len(out) + 1) :]
        elif how == "insert":
            out[at:at] = rng.randbytes(rng.choice((1, 7, 4096)))
        elif how == "remove":
            del out[at : at + rng.choice((1, 7, 512))]
        elif how == "repeat":
            out[at:at] = out[at : at + 512] * rng.choice((2, 40))
        elif how == "zeros":
            out[at : at + 256] = bytes(256)
        elif how == "splice":
            out[at:] = other[rng.randrange(len(other)) :]
        elif how == "head":
            del out[rng.choice((0, 4, 12, 44, 100)) :]
        else:
            out[at:] = rng.randbytes(len(out) - at)
        done.append(how)
    return bytes(out), "+".join(done)


def readers() -> dict[str, object]:
    """How window and command line read a foreign file, by name; each takes a path."""
    return {
        "drop in the window": lambda path: inspect(str(path)),
        "panel of the window": lambda path: read_raw(path, most_seconds=60.0),
        "saved voice": read_sound,
        "training and evaluation": _read_to_learn,
        "model, also of clone --reference": lambda path: hearing.read_file(path, MAX_SECONDS),
        "verify, the marks": lambda path: verify(path, None),
        "verify, the sound": lambda path: [len(part) for part in sections(path, 300)[1]],
    }


def _read_to_learn(path: Path) -> None:
    try:
        foreign_audio.read_audio(path)
    finally:
        foreign_audio.end_child()  # so that its cost is counted for this file


REFUSALS = (AudioFileError, AudioError)


def cases(count: int, seed: int, folder: Path) -> Iterator[tuple[str, Path]]:
    """Write ``count`` mutated files one after another and yield what they are called and where they are."""
    made = originals(folder)
    everything = [data for files in made.values() for data in files]
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        kind = FORMATS[number % len(FORMATS)]
        data, how = mutated(rng.choice(made[kind]), rng, rng.choice(everything))
        name = rng.choice((kind, kind, "wav", "raw", "au"))  # names lie
        path = folder / f"hostile-{number}.{name}"
        path.write_bytes(data)
        yield f"audio {number} ({kind}, {how}, called .{name}, seed {seed})", path
        path.unlink()
