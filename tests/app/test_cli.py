"""The voxcpm command, run as people run it: on the bundled model, without a screen and without Qt."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import soundfile

from app import cli
from app.core.library import Library
from app.core.resources import default_model_folder

ROOT = Path(__file__).parents[2]
RATE = 16000  # of the bundled model
FAST = ["--max-patches", "5", "--min-patches", "0", "--steps", "2", "--retries", "1", "--seed", "7"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Two seconds that are loud, in tune, and fade at both ends, so that there is nothing to find fault with."""
    rate, seconds = 16000, 2.0
    time = np.arange(int(rate * seconds)) / rate
    tone = sum(np.sin(2 * np.pi * 140 * k * time) / k for k in range(1, 8))
    sound = 0.2 * tone * np.sin(np.pi * time / seconds) ** 0.5
    path = tmp_path / "voice.wav"
    soundfile.write(path, sound, rate)
    return path


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, dict[str, Any], str]:
    """Run a command with ``--json``; return the exit code, the JSON and what stood on stderr."""
    code = cli.main([*argv, "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out), err


def without_qt(folder: Path) -> dict[str, str]:
    """Return an environment with no screen, in which importing Qt or the sound device fails."""
    blocked = folder / "blocked"
    for name in ("PySide6", "pyqtgraph", "sounddevice"):
        (blocked / name).mkdir(parents=True)
        (blocked / name / "__init__.py").write_text(f"raise OSError('{name} is blocked')")
    env = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
    return env | {"PYTHONPATH": os.pathsep.join([str(blocked), str(ROOT)])}


def start(argv: list[str], folder: Path, **options: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "app.cli", *argv],
        cwd=folder,
        env=without_qt(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def test_open_16_no_screen_no_qt_no_sound_device(tmp_path: Path) -> None:
    process = start(["design", *FAST, "--json"], tmp_path, stdin=subprocess.PIPE)
    out, err = process.communicate("\ufeffHello there.\n".encode(), timeout=180)
    assert process.returncode == 0, err.decode()
    said = json.loads(out)
    (take,) = said["takes"]
    assert (take["text"], take["seed"], take["mode"]) == ("Hello there.", 7, "design")
    samples, rate = soundfile.read(tmp_path / "take.wav")
    assert rate == take["sample_rate"] == RATE
    assert len(samples) / rate == pytest.approx(take["seconds"]) and take["seconds"] > 0
    assert "bundled" in said["remarks"][0] and said["remarks"][0] in err.decode()
    assert "Traceback" not in err.decode()


def test_looking_for_help_loads_neither_torch_nor_qt(tmp_path: Path) -> None:
    code = (
        "import sys; from app import cli\n"
        "try: cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "loaded = {'torch', 'PySide6', 'soundfile', 'huggingface_hub'} & set(sys.modules)\n"
        "assert not loaded, loaded"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=without_qt(tmp_path), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    for word in ("design", "clone", "continue", "batch", "info", "bench", "download", "130"):
        assert word in done.stdout


def test_takes_have_seeds_far_apart_and_each_can_be_made_again(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said, _ = run(capsys, "design", "Good evening.", *FAST, "--takes", "2", "--out", "a.wav")
    assert code == 0
    first, second = said["takes"]
    assert [t["file"] for t in (first, second)] == ["a_1.wav", "a_2.wav"]
    assert first["seed"] == 7 and abs(second["seed"] - 7) > 1000
    code, again, _ = run(capsys, "design", "Good evening.", *FAST, "--seed", str(second["seed"]), "--out", "b.wav")
    assert code == 0 and again["takes"][0]["patches"] == second["patches"]
    assert np.abs(soundfile.read("a_2.wav")[0] - soundfile.read("b.wav")[0]).max() < 1e-4


def test_a_seed_is_drawn_and_reported(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = [o for o in FAST if o not in ("--seed", "7")]
    seeds = [run(capsys, "design", "Hi.", *options, "--out", f"{n}.wav")[1]["takes"][0]["seed"] for n in "ab"]
    assert seeds[0] != seeds[1]


def test_clone_continue_and_both(here: Path, recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    voice = ["--reference", str(recording)]
    prompt = ["--prompt", str(recording), "--transcript", "Good morning."]
    for name, command, options, mode in (
        ("a", "clone", voice, "reference"),
        ("b", "continue", prompt, "continuation"),
        ("c", "clone", voice + prompt, "combined"),
    ):
        code, said, err = run(capsys, command, "And you?", *options, "--consent", "me", *FAST, "--out", f"{name}.wav")
        assert code == 0, err
        take = said["takes"][0]
        assert take["mode"] == mode and soundfile.info(f"{name}.wav").frames > 0
    # One blank joins the words of transcript and text.
    assert (
        "morning. And"
        in run(capsys, "continue", "And you?", *prompt, "--consent", "me", *FAST, "--out", "d.wav")[1]["takes"][0][
            "text"
        ]
    )


def test_long_text_goes_on_part_by_part(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sentence = "The last train leaves at ten and nobody has told the people on the platform about it. "
    text = Path("story.txt")
    text.write_bytes((sentence * 12).encode("utf-16"))
    code, said, err = run(capsys, "design", "--text-file", str(text), "--long", *FAST)
    assert code == 0, err
    take = said["takes"][0]
    assert take["parts"] > 1 and len(take["text"]) == take["parts"]
    assert soundfile.info("take.wav").duration == pytest.approx(take["seconds"])


def test_streamed_sound_equals_the_file(here: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    for argv in (["--out", "whole.wav"], ["--out", "stream.wav", "--stream"]):
        assert cli.main(["design", "Mind the gap.", *FAST, *argv]) == 0
    capsysbinary.readouterr()
    assert cli.main(["design", "Mind the gap.", *FAST, "--out", "-"]) == 0
    piped = capsysbinary.readouterr().out
    assert cli.main(["design", "Mind the gap.", *FAST, "--out", "-", "--raw"]) == 0
    raw = capsysbinary.readouterr().out
    whole, _ = soundfile.read("whole.wav", dtype="float32")
    streamed, rate = soundfile.read("stream.wav", dtype="float32")  # marked anew as a whole when it was done
    assert rate == RATE and np.array_equal(streamed, whole)
    heard, rate = soundfile.read(io.BytesIO(piped), dtype="float32")
    assert piped.endswith(raw) and len(raw) == 2 * len(whole)
    assert rate == RATE and heard.shape == whole.shape
    # The watermark of a stream does not know yet what is loud: it may leave out other frames.
    assert np.abs(heard - whole).max() < 5e-3
    assert b'"Label":"1"' in piped[:400]


def test_what_is_exported_stands_in_the_audit_log(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Library() as library:
        before = sum(1 for _ in library.audit.entries())
    assert run(capsys, "design", *FAST, "--text", "Hello there.", "--out", "said.wav")[0] == 0
    with Library() as library:
        entries = list(library.audit.entries())[before:]
        assert library.audit.verify().state == "intact"
    told = [entry.facts for entry in entries if entry.event == "export"]
    assert len(told) == 1 and {"mark_label", "mark_credentials", "mark_watermark"} <= told[0].keys()


def test_what_is_made_of_a_voice_names_its_consent(
    here: Path, recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    voice = ["--reference", str(recording), "--consent", "me", *FAST]
    assert run(capsys, "clone", "And you?", *voice, "--stream", "--out", "said.wav")[0] == 0
    with Library() as library:
        told = {entry.event: entry.facts for entry in library.audit.entries() if entry.event.startswith("export")}
    assert told.keys() == {"export", "export_stream"}
    assert told["export"]["mode"] == told["export_stream"]["mode"] == "reference"
    assert told["export"]["consent_record"] == told["export_stream"]["consent_record"]


def test_what_is_made_says_so(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("take.wav", "take.flac", "take.mp3", "take.opus"):
        code, said, err = run(capsys, "design", "Mind the gap.", *FAST, "--out", name)
        assert code == 0, err
        (take,) = said["takes"]
        assert take["marks"]["label"] == take["marks"]["watermark"] == "made"
        assert (take["marks"]["credentials"] == "made") is (name != "take.opus")
        assert any("Ogg Opus cannot" in remark for remark in said["remarks"]) is (name == "take.opus")
    assert cli.main(["verify", "take.wav", "take.flac", "take.mp3", "take.opus"]) == 0


def test_marks_are_left_out_only_with_a_reason(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said, _ = run(capsys, "design", "a", "--leave-out", "label")
    assert (code, said["error"]["kind"]) == (2, "request") and "Say why" in said["error"]["message"]
    code, said, _ = run(capsys, "design", "a", "--leave-out", "stamp", "--reason", "x")
    assert code == 2 and "no mark named stamp" in said["error"]["message"]
    code, said, _ = run(capsys, "design", "a", "--leave-out", "quality", "--reason", "x")
    assert code == 2 and said["error"]["field"] == "leave-out"
    code, said, _ = run(capsys, "design", "a", "--reason", "x")
    assert code == 2 and "--leave-out" in said["error"]["message"]
    everything = ["--leave-out", "label,credentials,watermark", "--reason", "a test"]
    code, said, err = run(capsys, "design", "Mind the gap.", *FAST, *everything)
    assert code == 0, err
    assert set(said["takes"][0]["marks"].values()) == {"left_out"}
    assert cli.main(["verify", "take.wav"]) == 8


def test_a_missing_watermark_is_told_before_any_work(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.marks.watermark._PACKAGE", "no_package_of_this_name")
    code, said, _ = run(capsys, "design", "a")
    assert code == 2 and "pip install resemble-perth" in said["error"]["message"]


def test_a_batch_from_a_table(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("lines.csv").write_text('text,seed,out\n"One, two.",3,first.wav\n\nThree.,,\n', encoding="utf-8-sig")
    code, said, err = run(capsys, "batch", "lines.csv", *FAST, "--out", "line.wav")
    assert code == 0, err
    assert [(t["line"], t["file"]) for t in said["takes"]] == [(2, "first.wav"), (4, "line_0004.wav")]
    assert said["takes"][0]["seed"] == 3
    assert all(soundfile.info(t["file"]).frames > 0 for t in said["takes"])


def test_a_batch_is_refused_as_a_whole(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("lines.txt").write_text("Good.\n\n...\n")
    code, said, _ = run(capsys, "batch", "lines.txt", *FAST)
    assert code == 2 and "lines.txt, line 3" in said["error"]["message"]
    assert sorted(p.name for p in here.iterdir()) == ["lines.txt"]


def test_ctrl_c_keeps_the_part_that_is_done(tmp_path: Path) -> None:
    text = "one two three four five six seven eight nine ten " * 2
    endless = ["--min-patches", "4000", "--steps", "200", "--seed", "1", "--progress", "--json"]
    process = start(["design", text, *endless], tmp_path)
    assert process.stderr is not None
    seen = b""
    while b"patches" not in seen:
        piece = process.stderr.read1(64)  # type: ignore[attr-defined]
        assert piece, seen.decode()
        seen += piece
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err.decode()
    said = json.loads(out)
    assert said["stopped"] and said["takes"][0]["end"] == "cancelled"
    assert soundfile.info(tmp_path / "take.wav").duration == pytest.approx(said["takes"][0]["seconds"])
    assert b"Traceback" not in err


def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    text = "one two three four five six seven eight nine ten " * 2
    process = start(["design", text, "--min-patches", "4000", "--seed", "1", "--out", "-"], tmp_path)
    assert process.stdout is not None and process.stderr is not None
    assert process.stdout.read(4) == b"RIFF"
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=120) == 7
    assert b"has gone" in err and b"Traceback" not in err and b"Exception ignored" not in err


REFUSALS = {
    "no text": (["design", "  "], 2, "text"),
    "nothing to say": (["design", "..."], 2, "text"),
    "two texts": (["design", "a", "--text", "b"], 2, "give the text once"),
    "seed": (["design", "a", "--seed", "-1"], 2, "seed"),
    "steps": (["design", "a", "--steps", "0"], 2, "steps"),
    "guidance": (["design", "a", "--cfg", "nan"], 2, "cfg"),
    "takes": (["design", "a", "--takes", "4"], 2, "takes"),
    "streamed takes": (["design", "a", "--takes", "2", "--stream"], 2, "streamed"),
    "sound and JSON": (["design", "a", "--out", "-"], 2, "stdout"),
    "bare samples to a file": (["design", "a", "--raw"], 2, "raw"),
    "brackets": (["design", "a", "--description", "(x)"], 2, "description"),
    "no reference": (["clone", "a"], 2, "--reference"),
    "no prompt": (["continue", "a", "--consent", "me"], 2, "--prompt"),
    "no consent": (["clone", "a", "--reference", "{voice}"], 5, "--consent"),
    "blank consent": (["clone", "a", "--reference", "{voice}", "--consent", " "], 5, "--consent"),
    "no transcript": (["continue", "a", "--prompt", "{voice}", "--consent", "me"], 2, "--transcript"),
    "lone transcript": (
        ["clone", "a", "--reference", "{voice}", "--transcript", "b", "--consent", "me"], 2, "transcript"
    ),
    "no audio": (["clone", "a", "--reference", "{text}", "--consent", "me"], 3, ""),
    "missing audio": (["clone", "a", "--reference", "nowhere.wav", "--consent", "me"], 3, "nowhere.wav"),
    "no such model": (["design", "a", "--model", "nowhere"], 4, "nowhere"),
    "model not fetched": (["design", "a", "--model", "VoxCPM1.5"], 4, "voxcpm download"),
    "no model": (["design", "a", "--model", "{empty}"], 4, "config.json"),
    "exists": (["design", "a", "--out", "{voice}"], 7, "--force"),
    "no sound file": (["design", "a", "--out", "a.aac"], 7, ".flac"),
    "no WAV stream": (["design", "a", "--stream", "--out", "a.mp3"], 7, ".wav"),
    "no such bits": (["design", "a", "--bits", "float", "--out", "a.flac"], 2, "16 or 24"),
    "no such quality": (["design", "a", "--quality", "7", "--out", "a.mp3"], 2, "between 0 and 1"),
    "no folder": (["design", "a", "--out", "no/a.wav"], 7, "does not exist"),
    "no text file": (["design", "--text-file", "nowhere.txt"], 2, "nowhere.txt"),
    "bytes": (["design", "--text-file", "{bytes}"], 2, "position 3"),
    "empty batch": (["batch", "{empty_text}"], 2, "no line"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSALS)
def test_refusals_have_a_code_and_a_remedy(
    case: str, here: Path, recording: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(here / "data"))
    Path("text.txt").write_text("no sound")
    Path("bytes.txt").write_bytes(b"abc\xff")
    Path("empty.txt").write_bytes(b"")
    Path("empty").mkdir()
    places = {"voice": recording, "text": "text.txt", "bytes": "bytes.txt", "empty": "empty", "empty_text": "empty.txt"}
    argv, code, message = REFUSALS[case]
    before = {p.name: p.stat().st_size for p in here.iterdir()}
    got, said, err = run(capsys, *(part.format(**places) for part in argv))
    assert (got, said["error"]["exit_code"]) == (code, code), err
    assert message in said["error"]["message"] and said["error"]["message"] in err
    assert {p.name: p.stat().st_size for p in here.iterdir()} == before


def test_an_unknown_option_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(["design", "a", "--volume", "11"])
    assert stopped.value.code == 2


def test_a_pipe_is_read_only_when_there_is_one(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    assert cli.main(["design"]) == 2


def test_commands_about_models_are_handed_over(capsys: pytest.CaptureFixture[str]) -> None:
    code, said, _ = run(capsys, "info", str(default_model_folder()))
    assert code == 0 and said["architecture"] == "voxcpm2"


def test_an_older_model_refuses_a_reference_before_it_is_loaded(
    here: Path, recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only the config is there, so a load would fail in another way."""
    config = json.loads((default_model_folder() / "config.json").read_text())
    config["architecture"] = "voxcpm"
    del config["audio_vae_config"]["out_sample_rate"]
    config["audio_vae_config"]["decoder_rates"] = config["audio_vae_config"]["encoder_rates"][::-1]
    Path("old").mkdir()
    Path("old/config.json").write_text(json.dumps(config))
    old = ["--model", "old"]
    code, said, _ = run(capsys, "clone", "a", "--reference", str(recording), "--consent", "me", *old)
    assert code == 2 and said["error"]["field"] == "reference" and "prompt" in said["error"]["message"]
    code, said, _ = run(capsys, "design", "a", "--description", "old", *old)
    assert code == 2 and said["error"]["field"] == "description"
