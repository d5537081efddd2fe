"""``voxcpm dub`` with a real model: files, marks, audit, consent, resuming, and refusals before any work."""

from __future__ import annotations

import itertools
import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from app import cli
from app.core.dubbing.pauses import CHAPTER_MS, PARAGRAPH_MS
from app.core.dubbing.reading import read_cues
from app.core.dubbing.speech import ONSET
from app.core.library import Library
from tests.app.voices.makers import new_voice
from tests.conftest import parity_dir
from voxcpm import terminal

MODEL = parity_dir() / "checkpoints" / "tiny-v2"
FAST = ["--model", str(MODEL), "--max-patches", "6", "--retries", "1", "--steps", "2", "--seed", "7", "--together", "3"]
SRT = "\n".join(f"{n}\n00:00:{2 * n:02},000 --> 00:00:{2 * n + 1:02},500\nThis is line {n}.\n" for n in range(1, 6))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOXCPM_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("VOXCPM_PASSPHRASE", "a passphrase for tests")
    monkeypatch.setattr("app.core.settings.default_settings_file", lambda: tmp_path / "settings.json")
    (tmp_path / "a.srt").write_text(SRT, encoding="utf-8")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, dict[str, Any], str]:
    code = cli.main(["dub", *argv, "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out), err


def audited(place: Path) -> list[str]:
    with Library() as library:
        return [entry.event for entry in library.audit.entries()]


def test_subtitles_become_a_mix_with_stems_cues_and_true_times(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    further = ["--stems", "stems", "--cues", "each", "--subtitles", "true.srt"]
    code, said, _ = run(capsys, "a.srt", "--out", "a.wav", *FAST, *further)
    assert code == 0 and said["missing"] == 0 and set(said["marks"].values()) == {"made"}
    assert [Path(name).name for name in said["files"]] == [
        "a.wav", "voice.wav", *(f"{n:04}_voice.wav" for n in range(1, 6)), "true.srt",
    ]  # fmt: skip
    samples, rate = soundfile.read("a.wav")
    assert rate == 48_000 and len(samples) / rate == pytest.approx(said["seconds"], abs=0.01)
    assert said["loudness"] == pytest.approx(-16.0, abs=0.5) and said["true_peak"] <= -1.0
    for number in range(1, 6):
        alone, _ = soundfile.read(f"each/{number:04}_voice.wav")
        assert 1000 * np.flatnonzero(np.abs(alone) > ONSET)[0] / rate == pytest.approx(100, abs=20)
    assert [cue["start"] for cue in said["cues"]] == [2000, 4000, 6000, 8000, 10000]
    assert "00:00:02,000 --> " in Path("true.srt").read_text("utf-8")
    assert audited(place).count("export") == 7
    with Library() as library:
        assert library.takes.count() == 5


def test_every_phase_of_the_writing_is_shown_and_goes_into_the_log(
    place: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An hour of sound takes minutes to mix and mark: without a word it would look as if it hung."""
    monkeypatch.setattr(terminal.ProgressLine, "_EVERY", 0.0)
    with caplog.at_level("INFO"):
        code, _, err = run(capsys, "a.srt", "--out", "a.wav", *FAST, "--stems", "stems", "--progress")
    assert code == 0
    for phase in ("5 of 5 cues", "mixing", "marking and writing the mix", "measuring the mix", "writing stems"):
        assert phase in err
    told = [record.getMessage() for record in caplog.records]
    assert "made: 5 of 5 cues" in told and "export: stems, 0 of 1 done" in told


def test_the_same_command_goes_on_and_the_same_files_come_out(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bare = ["--leave-out", "credentials", "--reason", "compared byte by byte"]
    _, first, _ = run(capsys, "a.srt", "--out", "a.wav", *FAST, *bare)
    data = Path("a.wav").read_bytes()
    code, refused, _ = run(capsys, "a.srt", "--out", "a.wav", *FAST)
    assert code == 7 and "exists" in refused["error"]["message"]
    code, again, _ = run(capsys, "a.dub", "--out", "b.wav", *bare)  # from the project, without loading a model
    assert code == 0 and Path("b.wav").read_bytes() == data
    assert [cue["take"] for cue in again["cues"]] == [cue["take"] for cue in first["cues"]]
    shutil.copytree(place / "a.dub", place / "c.dub")  # to a machine that has none of the takes
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VOXCPM_DATA", str(place / "other data"))
        code, there, _ = run(capsys, "c.dub", "--out", "c.wav", *FAST, *bare)
    assert code == 0 and Path("c.wav").read_bytes() == data
    assert any("5 takes" in remark for remark in there["remarks"])


def test_without_the_words_the_takes_of_before_are_heard_again(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bare = ["--leave-out", "watermark,credentials", "--reason", "takes are compared"]
    (place / "words.txt").write_text("3=three\n", encoding="utf-8")
    found = []
    for words in ([], ["--words", "words.txt"], []):
        code, said, err = run(capsys, "a.srt", "--out", "a.wav", "--force", *FAST, *bare, *words)
        assert code == 0, err
        assert not any("stale" in cue["flags"] for cue in said["cues"])
        found.append([cue["take"] for cue in said["cues"]])
    before, changed, again = found
    assert again == before and [one != two for one, two in zip(before, changed, strict=True)].index(True) == 2


def test_other_subtitles_do_not_overwrite_a_project(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "a.srt", "--out", "a.wav", *FAST)
    (place / "a.srt").write_text(SRT.replace("line 3", "line three"), encoding="utf-8")
    code, said, _ = run(capsys, "a.srt", "--out", "b.wav", "--project", "a.dub", *FAST)
    assert code == 7 and "holds other cues" in said["error"]["message"]


def test_a_script_a_bed_words_and_formats(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "s.txt").write_text("Ann: NASA calls. [pause 0.4s] Hello?\nBob: Who is there?\n", encoding="utf-8")
    (place / "words.txt").write_text("NASA=nassa\n", encoding="utf-8")
    (place / "settings.json").write_text(json.dumps({"words": {"NASA": "not this", "who": "hoo"}}), encoding="utf-8")
    soundfile.write("bed.flac", np.full((32_000, 2), 0.05), 16_000)
    more = ["--sound", "bed.flac", "--words", "words.txt", "--stereo", "--loudness", "-23", "--rate", "44100"]
    code, said, err = run(capsys, "s.txt", "--out", "s.flac", "--stems", "stems", *FAST, *more)
    assert code == 0, err
    assert said["said"] == ["cue 1: 'NASA' is said as 'nassa'.", "cue 2: 'Who' is said as 'hoo'."]
    samples, rate = soundfile.read("s.flac")
    assert rate == 44_100 and samples.shape[1] == 2
    assert sorted(path.name for path in (place / "stems").iterdir()) == ["Ann.flac", "Bob.flac"]
    assert said["loudness"] == pytest.approx(-23.0, abs=0.5)


@pytest.mark.parametrize(
    ("argv", "field", "code"),
    [
        (["--takes", "4"], "takes", 2),
        (["--rate", "8000"], "mix", 2),
        (["--stretch", "2"], "mix", 2),
        (["--duck", "6"], "mix", 2),
        (["--cast", "Nobody=x"], "cast", 2),
        (["--cast", "nonsense"], "cast", 2),
        (["--name", "../{number}", "--cues", "x"], "name", 2),
        (["--subtitles", "x.doc"], "subtitles", 2),
        (["--sound", "gone.wav"], "sound", 2),
        (["--voice", "nobody at all"], "", 5),
        (["--out", "x.txt"], "", 7),
        (["--cfg", "99"], "cfg", 2),
        (["--subtitles", "nowhere/x.srt"], "", 7),
    ],
)
def test_what_cannot_be_done_is_refused_before_a_model_is_loaded(
    place: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    argv: list[str],
    field: str,
    code: int,
) -> None:
    from app.engine.local import LocalEngine

    monkeypatch.setattr(LocalEngine, "load", lambda *_: pytest.fail("a model was loaded"))
    got, said, _ = run(capsys, "a.srt", *FAST, *argv)
    assert got == code and (not field or said["error"].get("field", field) == field)


def test_cast_voices_are_heard_and_a_withdrawn_consent_stops_the_dub(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "s.txt").write_text("Ann: Hello, who is there?\nBob: It is only me, Ann.\n", encoding="utf-8")
    with Library() as library:
        voice = library.voices.add(new_voice("Ada", now=datetime.now(UTC), seconds=2.0)).voice_id
    code, _, err = run(capsys, "s.txt", "--out", "s.wav", "--stems", "stems", "--cast", "Ann=Ada", *FAST)
    assert code == 0, err
    with Library() as library:
        by_text = {take.job.text: take for take in library.takes.all()}
        assert by_text["Hello, who is there?"].voice_id == voice != by_text["It is only me, Ann."].voice_id
        exported = [entry for entry in library.audit.entries() if entry.event == "export"]
        voices = [entry.facts.get("voice") for entry in exported]
        assert voices[0] is None and voice in voices[1:]  # a mix of two voices; the stem of Ann
        of_the_mix = [
            entry.facts
            for entry in library.audit.entries()
            if entry.event == "export_voice" and entry.facts["produce_id"] == exported[0].facts["produce_id"]
        ]
        assert {facts["voice"] for facts in of_the_mix} == {by_text[text].voice_id for text in by_text} - {""}
        library.voices.withdraw(voice)
    code, said, _ = run(capsys, "s.dub", "--out", "t.wav", *FAST)
    assert code == 5 and "Ann" in said["error"]["message"] and not Path("t.wav").exists()


def test_a_long_text_is_spoken_in_a_row_with_chapters_apart(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paragraph = " ".join(f"This is sentence {n} of a paragraph that goes on." for n in range(8))
    (place / "book.txt").write_text(f"Chapter 1\n\n{paragraph}\n\nChapter 2\n\nIt ends.\n", encoding="utf-8")
    code, said, err = run(capsys, "book.txt", "--out", "book.flac", "--subtitles", "book.vtt", *FAST)
    assert code == 0, err
    cues = said["cues"]
    assert len(cues) == 4 and len(paragraph) > 240
    gaps = [after["start"] - before["end"] for before, after in itertools.pairwise(cues)]
    assert gaps == pytest.approx([PARAGRAPH_MS, CHAPTER_MS, PARAGRAPH_MS], abs=60)
    with Library() as library:
        take = next(take for take in library.takes.all() if take.job.text == paragraph)
        assert library.takes.filled(take.uid).seconds > 8 * 0.2
    rows = read_cues(Path("book.vtt").read_bytes(), "book.vtt").cues
    assert [row.text for row in rows[1:9]] == paragraph.replace("on. ", "on.|").split("|")
    assert (rows[1].start, rows[8].end) == (cues[1]["start"], cues[1]["end"]) and len(rows) == 3 + 8
    assert all(before.end <= after.start for before, after in itertools.pairwise(rows))
