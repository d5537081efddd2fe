"""Everything that a person does and that changes the disk. Each happens wholly or not at all, and can be done again."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path

from app.core.settings import Settings
from app.core.store import Store
from app.core.store.database import Database
from app.core.store.migration import Migration
from app.core.store.migrations import MIGRATIONS
from app.core.voice_bundle import export_voice, import_voice
from app.core.voice_card import VoiceCard
from tests.app.voices.makers import PASSPHRASE
from tests.hardening.world import FIRST, LATENTS, OTHER_PASSPHRASE, SECOND, THIRD, Things, World, age_backups
from tests.kill.scenarios.files_and_keys import content

Do = Callable[[World, Things], None]
Prepare = Callable[[Path, Things], None]


class RefusedError(Exception):
    """The program said by a return value that it did not do it."""


@dataclasses.dataclass(frozen=True)
class Action:
    """``do`` in an open world; ``prepare`` changes a closed one first. ``opens``: opening the store is the action."""

    name: str
    do: Do
    prepare: Prepare | None = None
    opens: bool = False


def _open(world: World, things: Things) -> None:
    assert world.store.database.integrity() == []


def _new_folder(world: World, things: Things) -> None:
    shutil.rmtree(world.folder / "new", ignore_errors=True)
    with Store.open(world.folder / "new" / "data", passphrase=PASSPHRASE, find_keyring=lambda: None):
        pass


def _migrate(world: World, things: Things) -> None:
    steps = (
        *MIGRATIONS,
        Migration(900, "a table", "CREATE TABLE extra (id INTEGER PRIMARY KEY, note TEXT NOT NULL);"),
        Migration(901, "rows", "INSERT INTO extra SELECT seq, hash FROM audit_entries;"),
    )
    with (
        Database.open(world.folder / "old" / "library.db", migrations=steps) as database,
        database.read() as connection,
    ):
        assert connection.execute("SELECT count(*) FROM extra").fetchone()[0] > 0


def _prepare_old(folder: Path, things: Things) -> None:
    (folder / "old").mkdir()
    shutil.copy(folder / "data" / "library.db", folder / "old")


def _add_voice(world: World, things: Things) -> None:
    world.voices.add(things.voices[THIRD])


def _save_settings(world: World, things: Things) -> None:
    settings = Settings(world.folder / "settings.json", {})
    settings.set("recent_projects", ["two", "one"])
    if not settings.save():
        raise RefusedError("The settings could not be saved: the disk is full, or was not written. Try again.")


def _save_project(world: World, things: Things) -> None:
    world.project.write_notes("second")
    world.project.save()


def _export_voice(world: World, things: Things) -> None:
    export_voice(world.door, FIRST, world.folder / "out" / "a.voice.zip", overwrite=True)


def _import(world: World, things: Things) -> None:
    import_voice(world.voices, world.folder / "third.voice.zip")


def _prepare_import(folder: Path, things: Things) -> None:
    other = folder.parent / "other"
    if not (folder.parent / "third.voice.zip").exists():
        (other / "out").mkdir(parents=True)
        with World(other) as world:
            world.voices.add(things.voices[THIRD])
            export_voice(world.door, THIRD, folder.parent / "third.voice.zip")
        shutil.rmtree(other)
    shutil.copy(folder.parent / "third.voice.zip", folder)


def _restore(world: World, things: Things) -> None:
    world.close()
    Store.restore(world.data)


def _damage(folder: Path, things: Things) -> None:
    with (folder / "data" / "library.db").open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 20000)


def _change_passphrase(world: World, things: Things) -> None:
    world.store.keys.set_passphrase(OTHER_PASSPHRASE, PASSPHRASE)


def _put_large(world: World, things: Things) -> None:
    world.store.blobs.put(content(7) * 3, owner="test:large")


ACTIONS = (
    Action("open, with a backup due", _open, lambda folder, things: age_backups(folder / "data"), opens=True),
    Action("make a data folder", _new_folder),
    Action("bring an old database up to date", _migrate, _prepare_old),
    Action("save a voice", _add_voice),
    Action("rename a voice", lambda w, t: _done(w.voices.change_card(FIRST, VoiceCard("Ada L.")))),
    Action("add a version of the consent", lambda w, t: _done(w.voices.withdraw(SECOND))),
    Action("open a complaint", lambda w, t: _done(w.voices.freeze(FIRST, "she asked"))),
    Action("keep latents", lambda w, t: w.voices.keep_latents(FIRST, LATENTS, b"others" * 60)),
    Action("delete a voice", lambda w, t: _done(w.voices.delete(FIRST))),
    Action("keep a take", lambda w, t: _done(w.takes.add(t.takes[3]))),
    Action("keep an encrypted take", lambda w, t: _done(w.takes.add(t.takes[4]))),
    Action("mark a take", lambda w, t: _done(w.takes.mark(t.takes[1].uid, rating=5, note="best"))),
    Action("put a take into the bin", lambda w, t: w.takes.move_to_bin([t.takes[0].uid])),
    Action("empty the bin", lambda w, t: _done(w.takes.empty_bin())),
    Action("store a large file", _put_large),
    Action("export WAV", lambda w, t: w.export("new.wav")),
    Action("export over a file", lambda w, t: w.export("old.wav", overwrite=True)),
    Action("export FLAC", lambda w, t: w.export("new.flac")),
    Action("export MP3", lambda w, t: w.export("new.mp3")),
    Action("export Opus", lambda w, t: w.export("new.opus")),
    Action("export a voice", _export_voice),
    Action("import a voice", _import, _prepare_import),
    Action("export the audit log", lambda w, t: _done(w.audit.export(w.folder / "out" / "log.jsonl", overwrite=True))),
    Action("save a project", _save_project),
    Action("copy a file into a project", lambda w, t: _done(w.project.files.add(w.folder / "source.wav"))),
    Action("save the settings", _save_settings),
    Action("back up", lambda w, t: _done(w.store.backups.run())),
    Action("restore", _restore, _damage, opens=True),
    Action("change the passphrase", _change_passphrase),
)  # fmt: skip


def _done(_: object) -> None:
    """What comes back is looked at on the disk."""
