"""Only the door writes sound: any other code in app/ or voxcpm/ that could is listed here with its reason."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ALLOWED = {
    "app/marks/formats.py": "the door: encodes to a temporary name, for export_audio alone",
    "app/marks/stream.py": "the door for sound that is heard while it is made",
    "app/core/sound_files.py": "inside the store: recordings as FLAC in memory, which the store encrypts and keeps",
    "voxcpm/audio_file.py": "the library's own writer, for programs that use it and mark what they publish",
    "voxcpm/evaluation/speaking.py": "research: takes for the recogniser, in the folder of an evaluation",
    "voxcpm/training/speaking.py": "research: takes that let one hear how training goes, in the folder of its run",
}
# Names whose call writes sound, and those that do if they are told a mode for writing.
WRITERS = {"write_wav", "save_wav", "writeframes", "writeframesraw", "WavStream"}
MODULES_THAT_WRITE = {("soundfile", "write"), ("sf", "write"), ("wavfile", "write"), ("torchaudio", "save")}
OPENERS = {("soundfile", "SoundFile"), ("sf", "SoundFile"), ("wave", "open"), ("av", "open")}
FOREIGN = {"torchaudio", "pydub", "scipy.io.wavfile", "av", "wave", "aifc", "sunau", "audioread", "pedalboard"}
FORMS = ("RIFF", "fLaC", "OggS")


def writes(tree: ast.AST) -> list[str]:
    """What in a module writes sound, or begins a file of sound by hand."""
    found = []
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                found += [f"import {name.name}" for name in names if name.name in FOREIGN]
            case ast.ImportFrom(module="soundfile", names=names):
                found += [f"from soundfile import {name.name}" for name in names if name.name in ("write", "SoundFile")]
            case ast.ImportFrom(module=str(module)) if module in FOREIGN:
                found.append(f"from {module}")
            case ast.Call(func=ast.Attribute(value=ast.Name(id=base), attr=name)) if (base, name) in MODULES_THAT_WRITE:
                found.append(f"{base}.{name}")
            case ast.Call(func=ast.Attribute(value=ast.Name(id=base), attr=name)) if (base, name) in OPENERS:
                mode = [*node.args[1:2], *(word.value for word in node.keywords if word.arg == "mode")]
                if mode and not (isinstance(mode[0], ast.Constant) and mode[0].value in ("r", "rb")):
                    found.append(f"{base}.{name}")
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in WRITERS:
                found.append(name)
            case ast.Call(func=ast.Attribute(attr="write"), args=[argument, *_]):
                if any(isinstance(part, ast.Constant) and _begins_sound(part.value) for part in ast.walk(argument)):
                    found.append("a file of sound begun by hand")
    return found


def _begins_sound(value: object) -> bool:
    text = value.decode("latin-1") if isinstance(value, bytes) else value
    return isinstance(text, str) and text.startswith(FORMS)


# Those hand sound to the door, or rewrite a file that the door made.
THROUGH_THE_DOOR = {
    "app/cli_marks.py": {"WavStream"},
    "app/marks/flac.py": {"a file of sound begun by hand"},
}


@pytest.mark.parametrize(
    "path",
    sorted(str(path.relative_to(ROOT)) for folder in ("app", "voxcpm") for path in (ROOT / folder).rglob("*.py")),
)
def test_no_other_code_writes_sound(path: str) -> None:
    found = set(writes(ast.parse((ROOT / path).read_text(encoding="utf-8"))))
    if path in ALLOWED:
        assert found or path == "app/marks/stream.py", f"{path} writes no sound any more: take it off the list"
        return
    assert found - THROUGH_THE_DOOR.get(path, set()) == set(), f"{path} writes sound beside app/marks/export.py"


@pytest.mark.parametrize(
    "code",
    [
        "import soundfile\nsoundfile.write('a.wav', x, 8000)",
        "import soundfile as sf\nsf.write('a.wav', x, 8000)",
        "from soundfile import write",
        "soundfile.SoundFile('a.wav', 'w', 8000, 1)",
        "soundfile.SoundFile('a.wav', mode=how)",
        "import wave",
        "wave.open('a.wav', 'wb')",
        "from scipy.io import wavfile\nwavfile.write('a.wav', 8000, x)",
        "import torchaudio",
        "from voxcpm.audio_file import write_wav\nwrite_wav('a.wav', x, 8000)",
        "file.write(b'RIFF' + size)",
        "stream.write(b'OggS')",
    ],
)
def test_the_look_finds_every_way(code: str) -> None:
    assert writes(ast.parse(code))


@pytest.mark.parametrize("code", ["soundfile.read('a.wav')", "soundfile.SoundFile('a.wav')", "wave.open('a', 'rb')"])
def test_reading_is_no_matter(code: str) -> None:
    assert writes(ast.parse(code)) == []
