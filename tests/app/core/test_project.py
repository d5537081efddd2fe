"""Projects: what they hold, how they are saved and found again, and what stands in the way."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core import project_file
from app.core.project import Project, recent_projects, remember_recent
from app.core.project_file import (
    ProjectDamagedError,
    ProjectError,
    ProjectInUseError,
    ProjectMissingError,
    ProjectNewerError,
    parse,
)
from app.core.project_files import FileReference, ProjectFileChangedError, ProjectFileMissingError
from app.core.project_parts import PARTS, PartError, PartType
from app.core.settings import Settings
from app.core.store import errors


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "film"


def cues(version: int = 1, **steps) -> PartType:
    def check(data: dict) -> None:
        if not isinstance(data.get("cues"), dict):
            raise PartError("cues are kept by id")

    return PartType("dubbing", version, {"cues": {}}, check, {int(name[1:]): step for name, step in steps.items()})


def test_everything_comes_back_from_another_folder(folder: Path, tmp_path: Path) -> None:
    with Project.create(folder, "Film 电影") as project:
        project.write_notes("Two\nlines")
        project.write_draft("design", "text", "Good evening.")
        project.choose(takes=["t1", "t2"], voices=["v1"])
        reference = project.files.add(write(tmp_path / "Sound of the film.WAV", b"sound"))
        assert not project.is_saved and project.save() and project.is_saved and not project.save()
    shutil.move(folder, tmp_path / "elsewhere")
    with Project.open(tmp_path / "elsewhere") as again:
        assert again.name == "Film 电影" and again.notes == [] and again.is_saved
        assert again.project_id == project.project_id
        assert again.part("general")["notes"] == "Two\nlines"
        assert again.part("drafts") == {"design.text": "Good evening."}
        assert again.part("chosen") == {"takes": ["t1", "t2"], "voices": ["v1"]}
        assert again.files.find(reference).read_bytes() == b"sound"
    text = (tmp_path / "elsewhere" / "project.json").read_text()
    assert str(tmp_path) not in text
    assert {path.name for path in (tmp_path / "elsewhere").iterdir()} <= {
        "project.json", "project.previous.json", "files", ".lock",
    }  # fmt: skip


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_steps_are_undone_and_done_again(folder: Path) -> None:
    with Project.create(folder, "one") as project:
        assert project.undo() is None and project.undo_label is None
        project.rename("two")
        for text in ("H", "Hi", "Hi!"):
            project.write_draft("clone", "text", text)
        project.write_draft("clone", "style", "warm")
        assert not project.rename("two")
        assert project.undo_label == "Type"
        project.undo()
        assert project.part("drafts") == {"clone.text": "Hi!"}
        project.undo()
        assert project.part("drafts") == {} and project.redo_label == "Type"
        project.undo()
        assert project.name == "one"
        project.redo()
        project.redo()
        project.end_typing()
        project.write_draft("clone", "text", "")
        project.save()
        assert project.name == "two" and project.part("drafts") == {}
        project.undo()
        assert not project.is_saved and project.part("drafts") == {"clone.text": "Hi!"}


@pytest.mark.parametrize(
    "change",
    [
        lambda project: project.rename("two\nlines"),
        lambda project: project.rename("x" * 201),
        lambda project: project.write_draft("my panel", "text", "x"),
        lambda project: project.write_notes("x" * 1_000_001),
        lambda project: project.write_notes("\ud800"),
        lambda project: project.choose(takes=["a", "a"]),
        lambda project: project.choose(voices=["../../etc"]),
        lambda project: project.change("x", "chosen", lambda data: data.update(takes=("a",))),
        lambda project: project.change("x", "chosen", lambda data: data.update(more=1)),
        lambda project: project.change("x", "general", lambda data: data.update(notes=float("nan"))),
    ],
)
def test_what_does_not_belong_is_refused_and_changes_nothing(folder: Path, change) -> None:
    with Project.create(folder, "one") as project:
        before = project.snapshot()
        with pytest.raises(PartError):
            change(project)
        assert project.snapshot() == before and project.undo_label is None


def test_a_damaged_file_gives_the_previous_save_and_is_set_aside(folder: Path) -> None:
    with Project.create(folder, "one") as project:
        project.rename("two")
        project.save()
        project.rename("three")
        project.save()
    write(folder / "project.json", b'{"format": "voxcpm-pro')
    with Project.open(folder, readonly=True) as project:
        assert project.name == "two" and "damaged" in project.notes[0]
        with pytest.raises(errors.ReadOnlyError):
            project.save()
    with Project.open(folder) as project:
        assert project.name == "two" and not project.is_saved
        project.save()
    assert (folder / "project.damaged.json").read_bytes() == b'{"format": "voxcpm-pro'
    with Project.open(folder) as project:
        assert project.name == "two" and project.notes == []
    (folder / "project.json").unlink()
    with Project.open(folder) as project:
        assert project.name == "two" and "not there" in project.notes[0]
    for name in ("project.json", "project.previous.json"):
        write(folder / name, b"\xff")
    with pytest.raises(ProjectDamagedError, match="Restore"):
        Project.open(folder)


def test_no_project_is_told_from_a_damaged_one(folder: Path, tmp_path: Path) -> None:
    for place in (folder, write(tmp_path / "file", b""), tmp_path):
        with pytest.raises(ProjectMissingError):
            Project.open(place)
        if place.exists():
            with pytest.raises(ProjectError, match="not empty"):
                Project.create(place, "x")
    with pytest.raises(PartError):
        Project.create(folder, "x\ny")
    assert not folder.exists()


def test_a_project_is_open_once(folder: Path) -> None:
    with Project.create(folder, "one"):
        context = multiprocessing.get_context("spawn")
        with context.Pool(1) as pool:
            assert pool.apply(_tries_to_open, (folder,)) == "ProjectInUseError"
        with Project.open(folder, readonly=True) as other:
            assert other.name == "one"
        with pytest.raises(ProjectInUseError):
            Project.open(folder)
    Project.open(folder).close()


def _tries_to_open(folder: Path) -> str:
    try:
        Project.open(folder).close()
    except ProjectError as error:
        return type(error).__name__
    return "opened"


def test_a_failed_save_leaves_the_last_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Project.create(folder, "one") as project:
        before = (folder / "project.json").read_bytes()
        project.rename("two")
        calls = []

        def full(descriptor: int) -> None:
            calls.append(descriptor)
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("app.core.atomic_file.os.fsync", full)
        with pytest.raises(errors.DiskFullError):
            project.save()
        assert calls and (folder / "project.json").read_bytes() == before and not project.is_saved
        assert not list(folder.glob("*.part"))
        monkeypatch.undo()
        project.save()
    assert Project.open(folder, readonly=True).name == "two"


def test_an_older_snapshot_never_replaces_a_later_one(folder: Path) -> None:
    with Project.create(folder, "one") as project:
        project.rename("two")
        early = project.snapshot()
        project.rename("three")
        project.save()
        project.write(early)
    assert Project.open(folder, readonly=True).name == "three"


# -- versions and parts ---------------------------------------------------------------------------------------


def test_an_unknown_part_is_kept_for_those_who_know_it(folder: Path) -> None:
    types = (*PARTS, cues())
    with Project.create(folder, "one", types=types) as project:
        project.change("Add a cue", "dubbing", lambda data: data["cues"].update(c1={"text": "Hello", "start_ms": 40}))
        project.save()
    with Project.open(folder) as project:
        with pytest.raises(KeyError):
            project.part("dubbing")
        project.rename("two")
        project.save()
    with Project.open(folder, types=types) as project:
        assert project.part("dubbing") == {"cues": {"c1": {"text": "Hello", "start_ms": 40}}} and project.name == "two"


def test_an_older_part_is_brought_up_to_date_and_the_old_file_kept(folder: Path) -> None:
    with Project.create(folder, "one", types=(*PARTS, cues())) as project:
        project.change("Add", "dubbing", lambda data: data["cues"].update(c1={"text": "Hello"}))
        project.save()
    old = (folder / "project.json").read_bytes()

    def number(data: dict) -> dict:
        for count, cue in enumerate(data["cues"].values()):
            cue["number"] = count
        return data

    newer = (*PARTS, cues(3, v1=number, v2=lambda data: data | {"title": ""}))
    with Project.open(folder, types=newer) as project:
        assert project.part("dubbing") == {"cues": {"c1": {"text": "Hello", "number": 0}}, "title": ""}
        assert not project.is_saved
        project.save()
    assert (folder / "project.before-upgrade.json").read_bytes() == old
    for types in ((*PARTS, cues()), (*PARTS, cues(2, v1=number))):
        with pytest.raises(ProjectNewerError, match="dubbing has version 3"):
            Project.open(folder, types=types)
    with pytest.raises(PartError, match="any more"):
        cues(3, v2=number).upgraded(1, {"cues": {}})
    with pytest.raises(PartError, match="brought up"):
        cues(2, v1=number).upgraded(1, {"cues": 5})


def test_a_newer_file_is_not_touched(folder: Path) -> None:
    Project.create(folder, "one").close()
    path = folder / "project.json"
    path.write_text(path.read_text().replace('"version": 1', '"version": 2', 1))
    data = path.read_bytes()
    with pytest.raises(ProjectNewerError, match="newer version"):
        Project.open(folder)
    assert path.read_bytes() == data


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.data())
@settings(max_examples=150)
def test_whatever_stands_in_the_file_is_a_project_or_refused(data: st.DataObject) -> None:
    fields = {"format": "voxcpm-project", "version": 1, "id": "x", "parts": {}}
    for each in PARTS:
        fields["parts"][each.name] = {"version": 1, "data": each.new()}
    place = data.draw(st.sampled_from([("version",), ("id",), ("parts",), ("parts", "general"), ("parts", "drafts"),
                                       ("parts", "general", "data"), ("parts", "general", "version"),
                                       ("parts", "chosen", "data", "takes"), ("parts", "drafts", "data")]))  # fmt: skip
    holder = fields
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = data.draw(_JSON)
    try:
        content = parse(json.dumps(fields).encode(), PARTS)
    except (ValueError, ProjectNewerError):
        return
    again = parse(content.to_bytes(PARTS), PARTS)
    assert again.parts == content.parts and again.others == content.others


@given(st.binary(max_size=40))
def test_bytes_that_are_no_project_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        parse(data, PARTS)


@pytest.mark.parametrize("value", ["1e999", r'"\ud800"', "[" * 600 + "]" * 600], ids=["infinite", "half", "deep"])
def test_what_could_be_opened_and_never_saved_is_refused(value: str) -> None:
    for name in ("general",) if value.startswith("[") else ("general", "of a newer version"):
        part = {"version": 1, "data": {"name": "", "notes": "HERE"}}
        fields = {"format": "voxcpm-project", "version": 1, "id": "x", "parts": {name: part}}
        with pytest.raises(ValueError):
            parse(json.dumps(fields).replace('"HERE"', value).encode(), PARTS)


def test_a_file_that_is_too_large_is_not_read(folder: Path) -> None:
    Project.create(folder, "one").close()
    os.truncate(folder / "project.json", project_file.LARGEST + 1)
    with pytest.raises(ProjectDamagedError, match="too large"):
        Project.open(folder)


# -- files ----------------------------------------------------------------------------------------------------


def test_copies_are_kept_once_and_swept_when_nothing_names_them(folder: Path, tmp_path: Path) -> None:
    with Project.create(folder, "one") as project:
        first = project.files.add(write(tmp_path / "a.wav", b"sound"))
        second = project.files.add(write(tmp_path / "b.wav", b"sound"))
        other = project.files.add(write(tmp_path / "../odd name.Ünï", b""))
        assert len(list((folder / "files").iterdir())) == 2 and first.sha256 == second.sha256
        write(folder / "files" / "left.part", b"x")
        assert project.files.sweep([second]) == 2
        assert project.files.find(first).read_bytes() == b"sound"
        with pytest.raises(ProjectFileMissingError, match="odd name"):
            project.files.find(other)
        project.files.find(first).write_bytes(b"other")
        with pytest.raises(ProjectFileChangedError):
            project.files.find(first)
        with pytest.raises(errors.StoreAccessError):
            project.files.add(tmp_path / "nowhere.wav")
        assert not list((folder / "files").glob("*.part"))


def test_a_file_elsewhere_is_known_by_its_content(folder: Path, tmp_path: Path) -> None:
    film = write(tmp_path / "films" / "film.mp4", b"film")
    with Project.create(folder, "one") as project:
        reference = FileReference.from_plain(json.loads(json.dumps(project.files.refer(film).to_plain())))
        assert reference.path == "../films/film.mp4" and project.files.find(reference).samefile(film)
        shutil.move(tmp_path / "films", tmp_path / "archive")
        with pytest.raises(ProjectFileMissingError):
            project.files.find(reference)
        found = project.files.find(reference, [tmp_path, tmp_path / "archive"])
        assert found.samefile(tmp_path / "archive" / "film.mp4")
        write(tmp_path / "archive" / "film.mp4", b"FILM")
        with pytest.raises(ProjectFileChangedError, match="Choose the right one"):
            project.files.find(reference, [tmp_path / "archive"])
        with pytest.raises(errors.StoreError):
            project.files.find(FileReference("0" * 64, 1, "x", "x" * 5000))


@pytest.mark.parametrize(
    "change",
    [{"path": "/etc/passwd"}, {"path": "C:/x"}, {"path": "a\\b"}, {"sha256": "0"}, {"size": -1}, {"size": True},
     {"name": 1}, {"more": 1}, {"path": "a\0"}],
)  # fmt: skip
def test_a_reference_that_is_none_is_refused(change: dict) -> None:
    good = {"sha256": "0" * 64, "size": 1, "name": "x", "path": ""}
    assert FileReference.from_plain(good).to_plain() == good
    with pytest.raises(PartError):
        FileReference.from_plain(good | change)


# -- recent ---------------------------------------------------------------------------------------------------


def test_recent_projects_are_kept_newest_first(tmp_path: Path) -> None:
    remembered = Settings(tmp_path / "settings.json")
    for number in range(12):
        remember_recent(remembered, tmp_path / f"p{number}")
    Project.create(tmp_path / "p5", "five").close()
    remember_recent(remembered, tmp_path / "p5")
    remembered.save()
    found = recent_projects(Settings(tmp_path / "settings.json"))
    assert [folder.name for folder, _ in found] == ["p5", "p11", "p10", "p9", "p8", "p7", "p6", "p4", "p3", "p2"]
    assert [there for _, there in found] == [True] + [False] * 9
