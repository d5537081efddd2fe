"""Hostile subtitles, projects, settings, names of files, and models: whatever a person may be sent."""

from __future__ import annotations

import json
import os
import pickle
import random
import shutil
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

from app.core.dubbing.imported import ImportRefusedError
from app.core.dubbing.naming import FIELDS, TemplateError, file_for
from app.core.dubbing.reading import read_cues
from app.core.project import Project
from app.core.project_file import FILE, ProjectError
from app.core.project_files import FileReference
from app.core.project_parts import PartError
from app.core.settings import Settings
from app.core.store.errors import StoreError
from tests.conftest import parity_dir
from voxcpm.errors import VoxCPMError
from voxcpm.pins import ALLOW_UNKNOWN

Case = tuple[str, Callable[[], object]]
REFUSALS = (ImportRefusedError, TemplateError, ProjectError, PartError, StoreError, VoxCPMError)


def subtitles() -> Iterator[Case]:
    """Each is read by its content and as every form."""
    cue = "1\n00:00:01,000 --> 00:00:02,000\n"
    texts: dict[str, bytes] = {
        "no byte": b"",
        "zeros": bytes(300_000),
        "noise": random.Random(1).randbytes(300_000),
        "a line of 5 MB": cue.encode() + b"x" * 5_000_000,
        "300,000 empty lines": b"\n" * 300_000,
        "100,000 cues": b"".join(b"%d\n00:00:01,000 --> 00:00:02,000\nHello.\n\n" % n for n in range(100_000)),
        "tags in tags": (cue + "<i>" * 200_000).encode(),
        "open braces": (cue + "{" * 300_000).encode(),
        "pauses": (cue + "[pause 1s]" * 50_000).encode(),
        "times beyond all": b"1\n99999999999999:99:99,999 --> 88888888888:00:00,000\nHello.\n",
        "times of letters": b"1\naa:bb:cc,ddd --> ee:ff:gg,hhh\nHello.\n" * 5000,
        "arrows": b"-->" * 200_000,
        "half an UTF-16": "ÿþ".encode("latin-1") + b"\0H\0e\0l" * 999 + b"\xd8",
        "lone surrogates": b"\xff\xfe" + b"\x00\xd8" * 50_000,
        "right to left": (cue + "\u202e" * 100_000 + "abc").encode(),
        "combining marks": (cue + "a" + "\u0301" * 200_000).encode(),
        "ASS without an end": b"[Script Info]\n[Events]\nFormat: Text\n" + b"Dialogue: " + b"{\\" * 100_000,
        "ASS with a million commas": b"[Events]\nFormat: Start, End, Text\nDialogue: " + b"," * 1_000_000,
        "VTT that nests": b"WEBVTT\n\n00:01.000 --> 00:02.000\n" + b"<c>" * 100_000,
        "CSV with one quote": b'text,character\n"' + b"a," * 300_000,
        "CSV with 100,000 columns": b"text" + b"," * 100_000 + b"\nHello.\n",
        "a script of colons": b"A:" * 200_000,
        "spaces": b" " * 1_000_000 + b"x",
        "digits": b"9" * 1_000_000,
        "brackets": b"[" * 200_000 + b"]" * 200_000,
        "beyond the size": b"Hello. " * (5 << 20),
    }
    for what, data in texts.items():
        for name in ("film.srt", "film.vtt", "film.ass", "lines.csv", "book.txt"):
            yield f"{name} of {what}", lambda data=data, name=name: read_cues(data, name)


def templates(folder: Path) -> Iterator[Case]:
    """Names may hold anything; what comes out must lie in the folder."""
    values: dict[str, str | int] = dict.fromkeys(FIELDS, "x") | {"number": 1}
    evil = (
        "..",
        "/etc/passwd",
        "..\\..\\x",
        "con",
        "a\0b",
        "x" * 5000,
        ".",
        "",
        "{number}",
        "C:x",
        "\u202e",
        "a/../../b",
    )

    def tried(template: str, **more: str) -> object:
        path = file_for(folder, template, values | more, ".wav")
        if not path.resolve().is_relative_to(folder.resolve()):
            raise AssertionError(f"{path} lies outside")
        return path

    for each in (
        *evil, "../{character}", "{character}/../../x", "/{number}", "{number.__class__}", "{number!r}",
        "{character:>99999999}", "{number:099999999}", "{}", "{0}", "{unknown}", "{character", "}", "{{{{", "a//b",
        "{number:{number}}", "~/{number}", "{character[0]}", "%s%n", "{number:04}/" * 5000,
    ):  # fmt: skip
        yield f"template {each[:40]!r}", lambda each=each: tried(each)
    for each in evil:
        yield (
            f"character {each[:40]!r}",
            lambda each=each: tried("{character}/{number:04}_{take}", character=each, take=each),
        )


def projects(folder: Path) -> Iterator[Case]:
    """Files of projects and of settings; a reference must not lead to files that the project was not given."""
    good = folder / "good"
    Project.create(good, "Film").close()
    text = (good / FILE).read_text()
    raw = json.loads(text)
    bad: dict[str, bytes] = {
        "no byte": b"",
        "noise": random.Random(2).randbytes(100_000),
        "depth": b"[" * 1_000_000,
        "depth of objects": b'{"a":' * 200_000,
        "an endless number": b'{"format":"voxcpm-project","version":' + b"9" * 1_000_000 + b"}",
        "NaN": text.replace('"version": 1', '"version": NaN').encode(),
        "another format": text.replace("voxcpm-project", "else").encode(),
        "a version of text": json.dumps({**raw, "version": "1"}).encode(),
        "a newer version": json.dumps({**raw, "version": 10**9}).encode(),
        "parts of text": json.dumps({**raw, "parts": "x"}).encode(),
        "an id of 10 MB": json.dumps({**raw, "id": "x" * 10_000_000}).encode(),
        "a part of a list": json.dumps({**raw, "parts": {**raw["parts"], "general": []}}).encode(),
        "a name of numbers": json.dumps(
            {**raw, "parts": {**raw["parts"], "general": {"version": 1, "data": {"name": 5, "notes": []}}}}
        ).encode(),
        "200,000 parts": json.dumps({**raw, "parts": {str(n): {} for n in range(200_000)}}).encode(),
        "lone surrogates": b'{"format": "\\ud800"}',
        "zeros": bytes(1_000_000),
    }
    for number, (what, data) in enumerate(bad.items()):
        place = folder / f"bad-{number}"
        place.mkdir()
        (place / FILE).write_bytes(data)
        (place / "settings.json").write_bytes(data)
        yield f"project of {what}", lambda place=place: Project.open(place, readonly=True).close()
        yield f"settings of {what}", lambda place=place: Settings(place / "settings.json", {}).get("recent_projects")
    for path in ("../../../etc/passwd", "/etc/passwd", "C:/x", "a\\b", "a\0b", "files/../../x"):
        plain = {"sha256": "0" * 64, "size": 3, "name": "passwd", "path": path}
        yield f"reference to {path!r}", lambda plain=plain: _found(good, plain)


def _found(folder: Path, plain: dict[str, object]) -> object:
    with Project.open(folder, readonly=True) as project:
        return project.files.find(FileReference.from_plain(plain))


class _Payload:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> object:
        return os.system, (f"touch {self.path}",)


def models(folder: Path) -> Iterator[Case]:
    """Model folders: each is a real small one with one file changed. Weights must never run."""
    source = parity_dir() / "checkpoints" / "tiny-v2"
    _loaded(source)  # torch itself is no part of what a hostile model costs
    config = json.loads((source / "config.json").read_text())
    tokenizer = (source / "tokenizer.json").read_bytes()
    weights = (source / "model.safetensors").read_bytes()
    pickled = pickle.dumps({"weight": _Payload(folder / "escape")})
    changed: dict[str, tuple[str, bytes]] = {
        "config of depth": ("config.json", b"[" * 500_000),
        "config of no text": ("config.json", b"\xff\xfe\xfd"),
        "config of a list": ("config.json", b"[]"),
        "config of NaN": ("config.json", json.dumps({**config, "patch_size": float("nan")}).encode()),
        "config with a patch of -1": ("config.json", json.dumps({**config, "patch_size": -1}).encode()),
        "config with a patch of 2**40": ("config.json", json.dumps({**config, "patch_size": 2**40}).encode()),
        "config with a length of 2**62": ("config.json", json.dumps({**config, "max_length": 2**62}).encode()),
        "config of texts": ("config.json", json.dumps(dict.fromkeys(config, "x")).encode()),
        "tokenizer of no byte": ("tokenizer.json", b""),
        "tokenizer of depth": ("tokenizer.json", b'{"a":' * 100_000),
        "tokenizer of noise": ("tokenizer.json", random.Random(3).randbytes(100_000)),
        "tokenizer cut off": ("tokenizer.json", tokenizer[: len(tokenizer) // 2]),
        "tokenizer of another kind": ("tokenizer.json", b'{"version":"1.0","model":{"type":"Unknown"}}'),
        "weights with a head of 2**63": ("model.safetensors", struct.pack("<Q", 2**63) + weights[8:]),
        "weights cut off": ("model.safetensors", weights[: len(weights) // 2]),
        "weights of noise": ("model.safetensors", random.Random(4).randbytes(200_000)),
        "weights that point outside": ("model.safetensors", _outside(weights)),
        "codec that runs something": ("audiovae.pth", pickled),
        "codec of noise": ("audiovae.pth", random.Random(5).randbytes(200_000)),
        "codec of no byte": ("audiovae.pth", b""),
        "an index that points outside": (
            "model.safetensors.index.json", b'{"weight_map": {"a": "../../../etc/passwd"}}',
        ),
        "an index of depth": ("model.safetensors.index.json", b"[" * 200_000),
    }  # fmt: skip
    for number, (what, (name, data)) in enumerate(changed.items()):
        place = folder / f"model-{number}"
        shutil.copytree(source, place)
        if "index" in name:
            (place / "model.safetensors").unlink()
        (place / name).write_bytes(data)
        if name == "audiovae.pth":
            yield f"model with a {what} that nobody knows", lambda place=place: _loaded(place)
        yield f"model with a {what}", lambda place=place: _loaded(place, ALLOW_UNKNOWN)
    yield "model whose weights run nothing", lambda: _untouched(folder / "escape")


def _outside(weights: bytes) -> bytes:
    """Tensors whose places lie behind the end of the file."""
    size = struct.unpack("<Q", weights[:8])[0]
    head = json.loads(weights[8 : 8 + size])
    for each in head.values():
        if "data_offsets" in each:
            each["data_offsets"] = [2**40, 2**40 + 4]
    data = json.dumps(head).encode()
    return struct.pack("<Q", len(data)) + data + weights[8 + size :]


def _loaded(folder: Path, *allowed: str) -> None:
    """Load it; with ``ALLOW_UNKNOWN`` what the restricted loader of weights gets is hostile too."""
    from voxcpm.pipeline import VoxCPM

    os.environ.update(dict.fromkeys(allowed, "1"))
    try:
        VoxCPM.load(folder)
    finally:
        for name in allowed:
            del os.environ[name]


def _untouched(path: Path) -> None:
    if path.exists():
        raise AssertionError("what stood in the weights was run")
