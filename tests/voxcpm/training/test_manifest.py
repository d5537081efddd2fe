"""One checker for all: every fault with its line, paths that stay inside, and a split that leaks nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.voxcpm.training.conftest import make_data, make_lines, tone, write_lines
from voxcpm.errors import DatasetError
from voxcpm.training import cli
from voxcpm.training.manifest import Entry, Recorded, check_manifest, split_groups
from voxcpm.training.prepare import prepare, split_entries
from voxcpm.training.trainer import train


def codes(path: Path, severity: str) -> dict[int, str]:
    return {finding.line: finding.code for finding in check_manifest(path).of(severity)}


def test_every_fault_is_told_with_its_line(tmp_path: Path) -> None:
    good = make_lines(tmp_path, 3)
    tone(tmp_path / "short.wav", 1, 0.1)
    (tmp_path / "noise.wav").write_bytes(b"this is not audio at all, but it is long enough to be looked at" * 4)
    tone(tmp_path.parent / "outside.wav", 9, 1.0)
    os.symlink(tmp_path.parent / "outside.wav", tmp_path / "link.wav")
    path = write_lines(
        tmp_path / "m.jsonl",
        [
            good[0],
            "{broken",
            "[1, 2]",
            {"audio": "audio/1.wav"},
            {"audio": "audio/1.wav", "text": "  "},
            {"audio": "audio/none.wav", "text": "Hello there"},
            {"audio": "../outside.wav", "text": "Hello there"},
            {"audio": str(tmp_path / "audio" / "1.wav"), "text": "Hello there"},
            {"audio": "C:\\audio\\1.wav", "text": "Hello there"},
            {"audio": "link.wav", "text": "Hello there"},
            {"audio": "a\0b.wav", "text": "Hello there"},
            {"audio": "noise.wav", "text": "Hello there"},
            {"audio": "short.wav", "text": "Hello there"},
            "",
            dict(good[0]),
            {"audio": "audio/1.wav", "text": 5, "licence": 7},
            {**good[0], "text": "Something else"},
            {**good[1], "licence": ["MIT"]},
            {**good[2], "license": "CC0-1.0", "colour": "red"},
        ],
    )
    assert codes(path, "error") == {
        2: "json", 3: "json", 4: "text", 5: "text", 6: "missing", 7: "path", 8: "path", 9: "path", 10: "path",
        11: "path", 12: "not_audio", 16: "field", 17: "contradiction", 18: "field",
    }  # fmt: skip
    assert codes(path, "dropped") == {13: "too short", 15: "duplicate"}
    assert codes(path, "note") == {19: "unknown"}
    checked = check_manifest(path)
    assert [entry.line for entry in checked.entries] == [1, 19] and checked.entries[1].licence == "CC0-1.0"
    assert checked.read == 18
    both = [f.code for f in checked.findings if f.line == 16]
    assert both == ["text", "field"]  # not only the first fault of a line
    with pytest.raises(DatasetError) as caught:
        checked.require()
    assert "line 7: audio ../outside.wav leaves" in str(caught.value) and len(caught.value.problems) == 15


def test_prepare_and_the_trainer_give_the_same_verdict(tmp_path: Path) -> None:
    from tests.voxcpm.training.conftest import tiny_options

    lines = make_lines(tmp_path, 2)
    path = write_lines(tmp_path / "m.jsonl", [lines[0], {"audio": "../x.wav", "text": ""}, lines[1]])
    said = []
    for act in (lambda: prepare(path), lambda: train(tiny_options(path), tmp_path / "run")):
        with pytest.raises(DatasetError) as caught:
            act()
        said.append(str(caught.value))
    assert said[0] == said[1] and "line 2" in said[0]
    assert not path.with_suffix(".card.md").exists()


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    lines = make_lines(tmp_path, 2)
    content = "\ufeff" + "\r\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\r\n"
    (tmp_path / "m.jsonl").write_bytes(content.encode())
    assert len(check_manifest(tmp_path / "m.jsonl").entries) == 2
    (tmp_path / "m.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DatasetError, match="UTF-8"):
        check_manifest(tmp_path / "m.jsonl")


def test_low_rates_are_noted(tmp_path: Path) -> None:
    tone(tmp_path / "low.wav", 0, 1.0, rate=8000)
    path = write_lines(tmp_path / "m.jsonl", [{"audio": "low.wav", "text": "Hello"}])
    assert codes(path, "note") == {1: "low rate"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KEYS = ("audio", "text", "ref_audio", "voice", "domain", "dataset_id", "licence", "consent_record_id")


@given(
    lines=st.lists(st.dictionaries(st.sampled_from(KEYS), JSON, max_size=6) | JSON | st.text(max_size=20), max_size=6)
)
@settings(max_examples=150, deadline=None)
def test_no_manifest_breaks_the_checker(lines: list[Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.getbasetemp() / "random"
    folder.mkdir(exist_ok=True)
    path = folder / "m.jsonl"
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_bytes(text.encode("utf-8", "replace"))
    checked = check_manifest(path)
    assert not checked.entries  # there is no audio in that folder
    told = {finding.line for finding in checked.findings}
    assert told == {number for number, line in enumerate(text.encode("utf-8", "replace").decode().split("\n"), 1)
                    if line.strip()}  # fmt: skip


# -- splitting ------------------------------------------------------------------------------------------------


def entry(
    line: int, *, voice: str = "", domain: str = "", audio: str = "", text: str = "", reference: str = ""
) -> Entry:
    def recorded(content: str) -> Recorded:
        return Recorded(Path(content), content, 1.0, 16000)

    other = recorded(reference) if reference else None
    labels = ("0", voice, domain, "", "", "", "")
    return Entry(line, recorded(audio or f"a{line}"), text or f"text {line}", other, *labels, raw={})


def test_whatever_is_shared_ties_lines_together() -> None:
    entries = [
        entry(1, voice="a", domain="news"),
        entry(2, voice="b", domain="news"),  # by domain with 1
        entry(3, voice="c", domain="tales", reference="a2"),  # by recording with 2
        entry(4, voice="d", text="Same words"),
        entry(5, voice="e", text="same WORDS"),
        entry(6, voice="f"),
    ]
    assert [[e.line for e in group] for group in split_groups(entries)] == [[1, 2, 3], [4, 5], [6]]


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=20
    ),
    st.sampled_from([0.05, 0.2, 0.5]),
    st.integers(0, 3),
)
@settings(max_examples=100, deadline=None)
def test_a_split_never_leaks(marks: list[tuple[int, int, int, int]], share: float, seed: int) -> None:
    entries = [
        entry(n, voice=f"v{v}", domain=f"d{d}" if d else "", audio=f"a{a}", reference=f"a{r}" if r < 3 else "")
        for n, (v, d, a, r) in enumerate(marks, 1)
    ]
    checked = _checked(entries)
    if len(split_groups(entries)) < 2:
        with pytest.raises(DatasetError, match="cannot be split fairly"):
            split_entries(checked, share, seed)
        return
    training, validation = split_entries(checked, share, seed)
    assert training and validation
    assert sorted(e.line for e in (*training, *validation)) == [e.line for e in entries]
    for of in (lambda e: e.speaker, lambda e: e.domain or e.line, lambda e: e.text):
        assert not {of(e) for e in training} & {of(e) for e in validation}
    recordings = [
        {r.content for e in part for r in (e.audio, e.reference) if r is not None} for part in (training, validation)
    ]
    assert not recordings[0] & recordings[1]


def _checked(entries: list[Entry]) -> Any:
    from voxcpm.training.manifest import Checked

    return Checked(Path("m.jsonl"), len(entries), tuple(entries), (), "")


def test_prepare_writes_manifests_and_a_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tests.voxcpm.conftest import checkpoint

    data = make_data(tmp_path, 6, licence="CC0-1.0", source="tones", territory="EU", consent_record_id="anna-1")
    command = [
        "prepare",
        str(data),
        "--split",
        "0.3",
        "--model",
        str(checkpoint("tiny-v2")),
        "--device",
        "cpu",
        "--json",
    ]
    assert cli.run(command) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["encoded"] == 6 and said["training"] + said["validation"] == 6 and said["validation"] >= 1
    assert said["consent_record_ids"] == ["anna-1"]
    assert cli.run(command) == 0
    assert json.loads(capsys.readouterr().out)["encoded"] == 0  # kept
    card = data.with_suffix(".card.md").read_text()
    assert "| CC0-1.0 | 6 |" in card and "| voice-3 | 1 |" in card and "anna-1" in card and "| EU | 6 |" in card
    parts = [check_manifest(data.with_suffix(f".{part}.jsonl")) for part in ("train", "validation")]
    assert [len(part.entries) for part in parts] == [said["training"], said["validation"]]
    assert not {e.speaker for e in parts[0].entries} & {e.speaker for e in parts[1].entries}


def test_one_voice_alone_cannot_be_split(tmp_path: Path) -> None:
    lines = [{**line, "voice": "anna"} for line in make_lines(tmp_path, 4)]
    with pytest.raises(DatasetError, match="another voice"):
        prepare(write_lines(tmp_path / "m.jsonl", lines), split=0.2)
