"""The one door: every mark in every format, nothing half, nothing overwritten, no mark left out without a word."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.core.engine_api import PieceScore
from app.marks import credentials, export, label, placing
from app.marks.choice import MARKS, MarkChoice, MarkTools, Origin
from app.marks.errors import ExportError, MarkMissingError, ReasonMissingError
from app.marks.export import export_audio, export_privately
from app.marks.formats import Format, format_for
from app.marks.identity import make_secret, read_secret
from app.marks.verify import verify
from app.marks.watermark import PerthWatermark
from tests.app.marks.conftest import voiced

ORIGIN = Origin(take="t-1", voice="v-1", consent_record="c-1", model="abc", mode="design")


class Tools:
    """Real marks, and an audit log that can be read or be full."""

    def __init__(self, network: PerthWatermark) -> None:
        self.secret = make_secret()
        self.told: list[tuple[str, Mapping[str, object]]] = []
        self.full = False
        self.tools = MarkTools(lambda name, make: self.secret, lambda: network, self._audit)

    def _audit(self, event: str, facts: Mapping[str, object]) -> None:
        if self.full:
            raise OSError("the audit log takes no more")
        self.told.append((event, facts))


@pytest.fixture(scope="module")
def network() -> PerthWatermark:
    return PerthWatermark()


@pytest.fixture
def tools(network: PerthWatermark) -> Tools:
    return Tools(network)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("name", ["a.wav", "a.flac", "a.mp3", "a.opus", "a.ogg"])
@pytest.mark.parametrize("rate", [48000, 44100, 16000])
def test_every_format_leaves_with_its_marks(tmp_path: Path, tools: Tools, name: str, rate: int) -> None:
    path = tmp_path / name
    done = export_audio(voiced(1.2, rate), rate, path, origin=ORIGIN, tools=tools.tools)
    signed = format_for(path).kind in credentials.MIME
    assert done.marks == {"label": "made", "credentials": "made" if signed else "impossible", "watermark": "made"}
    assert names(tmp_path) == [name]
    assert soundfile.info(path).samplerate == done.sample_rate == format_for(path).rate_for(rate)
    assert abs(soundfile.info(path).duration - 1.2) < 0.06
    found = verify(path, PerthWatermark())
    assert (found.verdict, found.label.covers, found.watermark.present) == ("intact", "sound", True)
    assert found.label.label.produce_id == done.produce_id
    if signed:
        assert (found.credentials.state, found.credentials.says_generated) == ("valid", True)
        assert found.credentials.origin["consent_record"] == "c-1"
        assert "not by a trusted authority" in " ".join(found.sentences())
        authority = read_secret(tools.secret).authority
        assert credentials.read(path, found.kind, authority).state == "trusted"
    ((event, facts),) = tools.told
    assert event == "export"
    assert facts["sha256"] == done.sha256 and facts["marks"] == done.marks and facts["take"] == "t-1"


@pytest.mark.parametrize(
    "form", [Format("wav", "16"), Format("wav", "24"), Format("wav", "float"), Format("flac", "16")]
)
def test_the_file_holds_the_take(tmp_path: Path, tools: Tools, form: Format) -> None:
    samples = voiced(0.5, 44100)
    path = tmp_path / f"a.{form.name}"
    bare = MarkChoice(frozenset({"watermark"}), "compared bit by bit")
    export_audio(samples, 44100, path, origin=ORIGIN, tools=tools.tools, form=form, choice=bare)
    read, rate = soundfile.read(path, dtype="float32")
    assert rate == 44100
    assert np.abs(read - samples).max() <= {"16": 2**-15, "24": 2**-22, "float": 0.0}[form.bits]


def test_marks_are_left_out_only_with_a_reason(tmp_path: Path, tools: Tools) -> None:
    with pytest.raises(ReasonMissingError, match="Say why"):
        MarkChoice(frozenset({"label"}), "  ")
    with pytest.raises(ValueError, match="no mark named"):
        MarkChoice(frozenset({"stamp"}), "because")  # type: ignore[arg-type]
    path = tmp_path / "bare.wav"
    choice = MarkChoice(frozenset(MARKS), "a listening test")
    done = export_audio(voiced(0.5), 48000, path, origin=ORIGIN, tools=tools.tools, choice=choice)
    assert set(done.marks.values()) == {"left_out"}
    assert tools.told[0][1]["reason"] == "a listening test"
    found = verify(path, PerthWatermark())
    assert found.verdict == "none" and not found.watermark.present and found.credentials.state == "absent"


def test_without_the_audit_log_nothing_leaves(tmp_path: Path, tools: Tools) -> None:
    tools.full = True
    with pytest.raises(ExportError, match="the audit log takes no more"):
        export_audio(voiced(0.5), 48000, tmp_path / "a.wav", origin=ORIGIN, tools=tools.tools)
    assert names(tmp_path) == []


def test_nothing_is_overwritten_unasked(tmp_path: Path, tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(b"old")
    with pytest.raises(ExportError, match="exists and is not overwritten"):
        export_audio(voiced(0.5), 48000, path, origin=ORIGIN, tools=tools.tools)
    monkeypatch.setattr(export, "check_target", lambda *a, **b: None)  # it came into being meanwhile
    with pytest.raises(ExportError, match="meanwhile"):
        export_audio(voiced(0.5), 48000, path, origin=ORIGIN, tools=tools.tools)
    assert path.read_bytes() == b"old" and names(tmp_path) == ["a.wav"]
    export_audio(voiced(0.5), 48000, path, origin=ORIGIN, tools=tools.tools, overwrite=True)
    assert path.read_bytes()[:4] == b"RIFF" and names(tmp_path) == ["a.wav"]


@pytest.mark.parametrize("step", ["app.marks.export.encode", "app.marks.export.label.write", "os.fsync", "os.link"])
def test_a_failure_at_any_step_leaves_no_rest(
    tmp_path: Path, tools: Tools, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def full(*arguments: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(step, full)
    with pytest.raises(ExportError, match="the disk is full"):
        export_audio(voiced(0.5), 48000, tmp_path / "a.wav", origin=ORIGIN, tools=tools.tools)
    assert names(tmp_path) == []


@pytest.mark.parametrize("mark", ["label", "credentials"])
def test_a_mark_that_is_not_found_again_is_an_error(
    tmp_path: Path, tools: Tools, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    if mark == "label":
        monkeypatch.setattr(label, "write", lambda source, target, kind, made: target.write_bytes(source.read_bytes()))
    else:
        monkeypatch.setattr(credentials, "sign", lambda source, target, *rest: target.write(source.read()))
    with pytest.raises(MarkMissingError, match=mark):
        export_audio(voiced(0.5), 48000, tmp_path / "a.wav", origin=ORIGIN, tools=tools.tools)
    assert names(tmp_path) == [] and tools.told == []


def test_a_format_that_loses_the_watermark_is_refused(tmp_path: Path, tools: Tools, network: PerthWatermark) -> None:
    class Lost:
        """Finds the mark in what was handed to the encoder, and in nothing else."""

        embed = staticmethod(network.embed)
        given = 0

        def score(self, samples: np.ndarray, rate: int) -> tuple[PieceScore, ...]:
            self.given += 1
            return (PieceScore(0, 1, 0.1 if self.given == 1 else 1.0),)

    lost = MarkTools(tools.tools.secret, Lost)
    with pytest.raises(MarkMissingError, match="loses the watermark"):
        export_audio(voiced(0.5), 48000, tmp_path / "a.mp3", origin=ORIGIN, tools=lost)
    assert names(tmp_path) == []


@pytest.mark.parametrize("samples", [np.zeros(48000, np.float32), voiced(0.1)])
def test_what_cannot_carry_the_watermark_leaves_with_a_note(tmp_path: Path, tools: Tools, samples: np.ndarray) -> None:
    done = export_audio(samples, 48000, tmp_path / "a.wav", origin=ORIGIN, tools=tools.tools)
    assert done.marks == {"label": "made", "credentials": "made", "watermark": "impossible"}
    assert "carry a watermark" in done.notes[0]


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        (np.zeros(0, np.float32), "no sound"),
        (np.array([0, np.nan], np.float32), "no numbers"),
        (np.zeros((2, 2, 2), np.float32), "float"),
        (np.zeros(9, np.int16), "float"),
    ],
)
def test_what_is_no_sound_is_refused(tmp_path: Path, tools: Tools, samples: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        export_audio(samples, 48000, tmp_path / "a.wav", origin=ORIGIN, tools=tools.tools)


@pytest.mark.parametrize(
    ("name", "form", "message"),
    [
        ("a.aac", None, "end the name in"),
        ("a.wav", Format("flac"), "has to end in .flac"),
        ("gone/a.wav", None, "does not exist"),
        ("folder.wav", None, "is a folder"),
    ],
)
def test_places_that_will_not_do(tmp_path: Path, tools: Tools, name: str, form: Format | None, message: str) -> None:
    (tmp_path / "folder.wav").mkdir()
    with pytest.raises(ExportError, match=message):
        export_audio(voiced(0.5), 48000, tmp_path / name, origin=ORIGIN, tools=tools.tools, form=form)


def test_a_wav_beyond_four_gigabytes_is_refused_before_it_is_written(tmp_path: Path) -> None:
    from app.marks.formats import encode

    endless = np.broadcast_to(np.float32(0), (1 << 31,))
    with pytest.raises(ExportError, match="4 GiB"):
        encode(tmp_path / "a.wav", endless, 48000, Format("wav", "16"))
    assert names(tmp_path) == []


def test_a_file_for_another_program_lies_in_a_private_folder(tmp_path: Path, tools: Tools) -> None:
    folder = tmp_path / "private"
    one, two = (
        export_privately(voiced(0.5), 48000, folder, "take.wav", origin=ORIGIN, tools=tools.tools) for _ in range(2)
    )
    assert one.path != two.path and one.path.name == two.path.name == "take.wav"
    assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE(one.path.parent.stat().st_mode) == 0o700
    assert verify(one.path, None).verdict == "intact"
    for name in ("../a.wav", "a/b.wav", ".hidden.wav", ""):
        with pytest.raises(ValueError, match="plain file name"):
            export_privately(voiced(0.5), 48000, folder, name, origin=ORIGIN, tools=tools.tools)


def test_what_a_killed_export_left_is_swept_after_a_day(tmp_path: Path, tools: Tools) -> None:
    old, young = (tmp_path / f".saving-{letter * 32}.wav" for letter in "ab")
    other = tmp_path / ".saving-mine.wav"
    for path in (old, young, other):
        path.write_bytes(b"x")
    for path in (old, other):
        os.utime(path, (time.time() - 2 * placing._ABANDONED_SECONDS,) * 2)
    export_audio(voiced(0.5), 48000, tmp_path / "a.wav", origin=ORIGIN, tools=tools.tools)
    assert names(tmp_path) == sorted(["a.wav", young.name, other.name])
