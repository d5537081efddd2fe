"""What ``voxcpm verify`` says of files that are marked, changed, foreign, damaged or bare."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import soundfile

from app import cli
from app.marks import label
from app.marks.choice import MarkChoice, MarkTools, Origin
from app.marks.export import export_audio
from app.marks.identity import make_secret, read_secret
from app.marks.stream import WavStream
from app.marks.watermark import PerthWatermark
from tests.app.marks.conftest import voiced


@pytest.fixture(scope="module")
def network() -> PerthWatermark:
    return PerthWatermark()


@pytest.fixture(scope="module")
def secret() -> bytes:
    return make_secret()


@pytest.fixture
def marked(tmp_path: Path, network: PerthWatermark, secret: bytes) -> Path:
    path = tmp_path / "marked.wav"
    tools = MarkTools(lambda name, make: secret, lambda: network)
    export_audio(voiced(1.0), 48000, path, origin=Origin(), tools=tools)
    return path


def verify(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[int, dict, str]:
    code = cli.main(["verify", "--json", *map(str, argv)])
    out = capsys.readouterr().out
    (found,) = (said := json.loads(out))["files"]
    return code, found, " ".join(found.get("sentences", said["remarks"]))


def test_a_marked_file(marked: Path, tmp_path: Path, secret: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    code, found, said = verify(capsys, marked)
    assert (code, found["verdict"], found["format"]) == (0, "intact", "wav")
    assert found["label"]["fields"]["Label"] == "1" and found["label"]["covers"] == "sound"
    assert found["watermark"]["present"] and found["watermark"]["score"] > 0.9
    assert found["credentials"]["says_generated"] and "not by a trusted authority" in said
    assert "not which one or who used it" in said and "may still be generated" in said
    authority = tmp_path / "authority.pem"
    authority.write_bytes(read_secret(secret).authority)
    code, found, said = verify(capsys, marked, "--trust", authority, "--no-watermark")
    assert found["credentials"]["state"] == "trusted" and "(by a trusted authority)" in said
    assert found["watermark"] is None and "not looked for" in said


def test_changed_sound_is_noticed(marked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = bytearray(marked.read_bytes())
    data[5000] ^= 1
    marked.write_bytes(data)
    code, found, said = verify(capsys, marked)
    assert (code, found["verdict"]) == (9, "broken")
    assert found["label"]["covers"] == "nothing" and found["credentials"]["state"] == "invalid"
    assert "does not fit" in said and "changed after it was signed" in said


def test_saved_anew_only_the_watermark_is_left(marked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    samples, rate = soundfile.read(marked)
    soundfile.write(marked, samples, rate)
    code, found, said = verify(capsys, marked)
    assert (code, found["verdict"]) == (0, "intact")
    assert found["label"] is None and found["credentials"]["state"] == "absent" and "There is a watermark" in said


def test_a_bare_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bare.flac"
    soundfile.write(path, voiced(1.0), 48000)
    code, found, said = verify(capsys, path)
    assert (code, found["verdict"]) == (8, "none")
    assert "no label" in said and "no content credentials" in said and "no watermark" in said


def test_the_label_of_another_producer_has_no_hash_of_ours(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bare, path = tmp_path / "bare.mp3", tmp_path / "other.mp3"
    soundfile.write(bare, voiced(1.0), 48000)
    label.write(bare, path, "mp3", label.Label("2", "001191110102MACQD9K64018705", "77"))
    code, found, said = verify(capsys, path)
    assert (code, found["verdict"]) == (0, "intact")
    assert "may be generated" in said and "cannot be told" in said


def test_a_stream(tmp_path: Path, network: PerthWatermark, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "stream.wav"
    told: list[dict] = []
    with path.open("wb") as file:
        stream = WavStream(
            file,
            origin=Origin(model="m"),
            choice=MarkChoice(),
            watermark=network,
            audit=lambda event, facts: told.append({event: facts}),
        )
        for start in range(0, 96000, 7000):
            stream.write(voiced(2.0)[start : start + 7000], 48000)
            assert soundfile.info(path).samplerate == 48000  # it can be heard while it grows
        stream.finish()
        with pytest.raises(ValueError, match="sample rate changed"):
            stream.write(voiced(0.1), 16000)
    assert soundfile.info(path).frames == 96000
    code, found, said = verify(capsys, path)
    assert (code, found["label"]["covers"], found["watermark"]["present"]) == (0, "label", True)
    assert "may have come from another file" in said
    marks = told[0]["export_stream"]["marks"]
    assert marks == {"label": "made", "watermark": "made", "credentials": "impossible"}


def test_what_is_no_sound_and_what_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "a.txt"
    text.write_text("hello")
    code, found, said = verify(capsys, text)
    assert (code, found["verdict"], found["format"]) == (8, "none", None) and "no WAV" in said
    code, found, _ = verify(capsys, tmp_path / "gone.wav")
    assert code == 3 and "No such file" in found["error"]


@pytest.mark.parametrize("data", [b"", b"no certificate", b"\x30\x82\xff", b"-----BEGIN CERTIFICATE-----\nAAAA\n"])
def test_what_is_no_certificate_is_not_held_against_the_file(
    marked: Path, tmp_path: Path, data: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    trust = tmp_path / "authority.pem"
    trust.write_bytes(data)
    assert cli.main(["verify", "--trust", str(trust), "--no-watermark", str(marked)]) == 2
    assert "no certificate" in capsys.readouterr().err


def test_a_damaged_file(marked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damaged = marked.with_name("damaged.ogg")
    soundfile.write(damaged, voiced(1.0), 48000, format="OGG", subtype="OPUS")
    damaged.write_bytes(damaged.read_bytes()[:60])
    code, found, said = verify(capsys, damaged, "--no-watermark")
    assert (code, found["verdict"]) == (9, "broken") and "it is damaged" in said


def test_people_get_sentences_and_the_worst_code_counts(
    marked: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = tmp_path / "bare.wav"
    soundfile.write(bare, voiced(0.5), 48000)
    assert cli.main(["verify", "--no-watermark", str(marked), str(bare)]) == 8
    out = capsys.readouterr().out
    assert f"{marked}: marked as generated\n  The label" in out and f"{bare}: no mark found" in out


def test_it_is_offered(tmp_path: Path) -> None:
    import sys

    told = subprocess.run([sys.executable, "-m", "app.cli", "--help"], capture_output=True, text=True, check=True)
    assert "verify" in told.stdout
    told = subprocess.run([sys.executable, "-m", "app.cli", "verify", "-h"], capture_output=True, text=True, check=True)
    assert "exit codes" in told.stdout and " 9 " in told.stdout
