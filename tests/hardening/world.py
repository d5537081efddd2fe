"""What a person has on the disk, small: a data folder, a project, settings, an exported file; and how to look at it."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from app.core.audit import AuditLog
from app.core.consent.record import OTHER
from app.core.door import Door
from app.core.project import Project
from app.core.settings import Settings
from app.core.shipped_voices import ShippedVoices
from app.core.store import Store
from app.core.store.backups import list_backups
from app.core.take_store import TakeLibrary
from app.core.takes import Take
from app.core.voices import NewVoice, Voices
from app.marks.choice import MarkChoice, MarkTools, Origin
from app.marks.export import export_audio
from app.marks.identity import make_secret
from app.marks.verify import verify
from tests.app.takes.makers import VOICE, made
from tests.app.voices.makers import NOW, new_voice, opened
from voxcpm.audio import write_wav

FIRST, SECOND, THIRD = (f"0000000{n}-0000-4000-8000-000000000000" for n in (1, 2, 3))
OTHER_PASSPHRASE = "another passphrase"
LATENTS = "0" * 64
State = dict[str, Any]
_SECRET = make_secret()
_NO_WATERMARK = MarkChoice(frozenset({"watermark"}), "a test of the disk")


class Things:
    """What is saved, made once, so that saving it again is the same."""

    def __init__(self) -> None:
        self.voices: dict[str, NewVoice] = {
            FIRST: new_voice("Ada", voice_id=FIRST, seconds=0.3),
            SECOND: new_voice("Bo", OTHER, voice_id=SECOND, seed=2, seconds=0.3, tags=("low",)),
            THIRD: new_voice("Cy", voice_id=THIRD, parts=("reference", "prompt"), seed=3, seconds=0.3),
        }
        once = replace(VOICE, voice_id="")
        self.takes: list[Take] = [
            made("The first take.", seed=1, length=900)[0],
            made("A take of a voice.", seed=2, length=900, voice=replace(VOICE, voice_id=FIRST))[0],
            made("In the bin.", seed=3, length=900, voice=once)[0],
            made("A new take.", seed=4, length=900)[0],
            made("A new take of a person.", seed=5, length=900, voice=once)[0],
        ]


class World:
    """An open data folder with all that belongs to it. The folder stays when it is closed."""

    def __init__(self, folder: Path, *, readonly: bool = False) -> None:
        self.folder = folder
        self.readonly = readonly
        self._stack = contextlib.ExitStack()

    def open(self) -> None:
        """Open all of it."""
        _ = self.store, self.project, self.door

    @cached_property
    def store(self) -> Store:
        store = self._stack.enter_context(opened(self.data, readonly=self.readonly))
        store.wait_for_maintenance()  # so that it is over before anything fails
        return store

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @cached_property
    def audit(self) -> AuditLog:
        return AuditLog(self.store.database, self.store.keys)

    @cached_property
    def takes(self) -> TakeLibrary:
        return TakeLibrary(self.store, self.audit)

    @cached_property
    def voices(self) -> Voices:
        return Voices(
            self.store,
            self.audit,
            delete_takes=self.takes.delete_takes_of,
            shipped=ShippedVoices(self.folder / "none"),
            now=lambda: NOW,
        )

    @cached_property
    def door(self) -> Door:
        return Door(self.voices)

    @cached_property
    def project(self) -> Project:
        return self._stack.enter_context(Project.open(self.folder / "project", readonly=self.readonly))

    def export(self, name: str, *, overwrite: bool = False) -> None:
        """Write a sound as a person would, without the watermark, which takes longest and touches no disk."""
        samples = (0.2 * np.sin(np.arange(4800) / 20)).astype(np.float32)
        tools = MarkTools(lambda name, make: _SECRET, _no_watermark, self.audit.hear)
        place = self.folder / "out" / name
        export_audio(samples, 48000, place, origin=Origin(), tools=tools, choice=_NO_WATERMARK, overwrite=overwrite)

    def close(self) -> None:
        self._stack.close()

    def __enter__(self) -> World:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def build(folder: Path, things: Things) -> None:
    """Make the world in ``folder``."""
    (folder / "out").mkdir(parents=True)
    with World(folder) as world:
        for voice_id in (FIRST, SECOND):
            world.voices.add(things.voices[voice_id])
        world.voices.keep_latents(FIRST, LATENTS, b"latents" * 50)
        for take in things.takes[:3]:
            world.takes.add(take)
        world.takes.mark(things.takes[0].uid, rating=3, note="good")
        world.takes.move_to_bin([things.takes[2].uid])
        world.export("old.wav")
        world.store.backups.run()
        Project.create(folder / "project", "Film").close()
        world.project.write_notes("first")
        world.project.save()
    settings = Settings(folder / "settings.json", {})
    settings.set("recent_projects", ["one"])
    settings.save()
    write_wav(folder / "source.wav", np.zeros(400, np.float32), 16000)


def age_backups(data: Path) -> None:
    """Let every backup be of the day before it says, so that one is due."""
    for backup in list_backups(data / "backups"):
        name = f"{backup.number:08d}-{date.today() - timedelta(days=backup.number + 1)}.db"
        backup.path.rename(backup.path.with_name(name))


def look(folder: Path, *, readonly: bool = False) -> State:
    """Read everything, as a program that starts now; what cannot be read raises, or stands under ``problems``."""
    with World(folder, readonly=readonly) as world:
        changed = not world.store.keys.lasting
        if changed:
            world.store.keys.unlock(OTHER_PASSPHRASE)
        problems = list(world.store.database.integrity())
        problems += [f"the stored file {blob_id[:13]} is missing" for blob_id in world.store.blobs.lost()]
        report = world.audit.verify()
        if report.state != "intact":
            problems.append(f"the audit log is {report.state}: {report.problem}")
        problems += _broken_backups(world.data)
        return {
            "problems": problems,
            "voices": {voice.voice_id: _voice(world, voice.voice_id) for voice in world.voices.all()},
            "takes": {
                take.uid: (take.job.text, take.binned, take.marks.rating, take.marks.note, _sound(world, take.uid))
                for binned in (False, True)
                for take in world.takes.all(binned=binned)
            },
            "passphrase": int(changed),
            "signer": world.store.keys.key_id,
            "project": _project(folder),
            "settings": Settings(folder / "settings.json", {}).get("recent_projects"),
            "out": {path.name: _exported(path) for path in sorted((folder / "out").iterdir())},
        }


def _voice(world: World, voice_id: str) -> tuple[Any, ...]:
    voice = world.voices.get(voice_id)
    sounds = []
    for part in ("reference", "prompt"):
        row = _blob_of(world, voice_id, part)
        sounds.append(row and len(world.store.blobs.get(row, key=world.store.keys.voice_key(voice_id))))
    versions = len(world.voices.versions(voice_id))
    codes = sorted(world.voices.verdict(voice_id).codes)
    latents = world.voices.latents(voice_id, LATENTS)
    return (voice.name, str(voice.state), versions, codes, sounds, latents and len(latents))


def _blob_of(world: World, voice_id: str, part: str) -> str | None:
    with world.store.database.read() as connection:
        row = connection.execute(
            "SELECT blob_id FROM voice_files WHERE voice_id = ? AND part = ?", (voice_id, part)
        ).fetchone()
    return None if row is None else str(row[0])


def _sound(world: World, uid: str) -> bytes:
    return world.takes.sound(uid).samples.tobytes()


def _project(folder: Path) -> tuple[Any, ...]:
    with Project.open(folder / "project", readonly=True) as project:
        return (project.name, project.part("general")["notes"], project.notes)


def _exported(path: Path) -> str:
    """What a file that left is worth: its marks are whole, or it is a bundle that can be read."""
    if path.suffix in (".wav", ".flac", ".mp3", ".opus"):
        return verify(path, None).verdict
    return "there" if path.stat().st_size else "empty"


def _broken_backups(data: Path) -> Iterator[str]:
    for backup in list_backups(data / "backups"):
        try:
            uri = backup.path.as_uri() + "?mode=ro&immutable=1"
            with contextlib.closing(sqlite3.connect(uri, uri=True)) as connection:
                found = connection.execute("PRAGMA integrity_check").fetchone()[0]
        except sqlite3.DatabaseError as error:
            found = str(error)
        if found != "ok":
            yield f"the backup {backup.path.name} is not intact"


def _no_watermark() -> Any:
    raise AssertionError("not wanted")
