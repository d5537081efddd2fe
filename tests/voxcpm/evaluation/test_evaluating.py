"""Whole evaluations of a tiny model. Only the recogniser and the speaker embedding are stand-ins."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

pytest.importorskip("jiwer", reason="needs the extra evaluate (or dev)")
pytest.importorskip("whisper_normalizer", reason="needs the extra evaluate (or dev)")

from tests.voxcpm.conftest import audio_file, checkpoint, load
from voxcpm.audio import write_wav
from voxcpm.errors import CheckpointError, ConsentError, RequestError
from voxcpm.evaluation.evaluating import Tools, evaluate
from voxcpm.evaluation.options import EvaluateOptions
from voxcpm.pipeline import VoxCPM
from voxcpm.request import Request
from voxcpm.result import Result

SET = "plain\tThe dog ran home.\nplain\tIt rained again.\nfast\tRun for the bus!\n"
HEARD = "the dog the dog ran"


class Ear:
    """Hears the same in everything, and counts."""

    identity = "ear 1"

    def __init__(self) -> None:
        self.count = 0

    def transcribe(self, samples: np.ndarray, sample_rate: int) -> str:
        assert samples.dtype == np.float32 and samples.ndim == 1 and sample_rate > 0
        self.count += 1
        return HEARD


class Likeness:
    """Tells recordings apart by their level and their changes of sign."""

    def embed(self, samples: np.ndarray, sample_rate: int) -> np.ndarray:
        turns = float(np.mean(np.diff(np.signbit(samples)))) + 1e-3
        vector = np.array([turns, 0.1 + float(np.abs(samples).mean())], np.float32)
        return vector / np.linalg.norm(vector)


class Speaking:
    """Loads the tiny model, notes what it makes, and can be interrupted after some takes."""

    def __init__(self, name: str = "tiny-v2", stop: str | None = None) -> None:
        self.name, self.stop = name, stop
        self.made: list[Request] = []
        self.threads: list[int] = []
        self.last = 10**6

    def __call__(self) -> VoxCPM:
        engine = load(self.name, stop=self.stop)
        generate = engine.generate

        def noted(request: Request, **options: Any) -> Result:
            if request.max_patches > 4:  # not the warm-up
                if len(self.made) == self.last:
                    raise KeyboardInterrupt
                self.made.append(request)
                self.threads.append(torch.get_num_threads())
            return generate(request, **options)

        engine.generate = noted  # type: ignore[method-assign]
        return engine


@pytest.fixture
def options(tmp_path: Path) -> EvaluateOptions:
    (tmp_path / "set.txt").write_text(SET)
    # A low ratio keeps takes of random weights short, and makes bad cases.
    return EvaluateOptions(
        tmp_path / "set.txt", tmp_path / "out", seeds=2, steps=2, retries=2, retry_ratio=1.0, threads=1
    )


def run(options: EvaluateOptions, speaking: Speaking, ear: Ear | None = None) -> dict[str, Any]:
    tools = Tools(speaking, lambda: ear or Ear(), Likeness)
    return evaluate(options, checkpoint(speaking.name), tools, lambda *_: None)


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("name", ["tiny-v1", "tiny-v2"])
def test_from_sentences_to_a_report(options: EvaluateOptions, name: str) -> None:
    speaking = Speaking(name)
    report = run(options, speaking)
    assert len(speaking.made) == 6 and len({r.seed for r in speaking.made}) == 2
    first, second, third = lines(options.out, "sentences")
    said = {key: first["takes"][0][key] for key in ("words", "substituted", "missing", "repeated", "added")}
    assert said == {"words": 4, "substituted": 0, "missing": 1, "repeated": 2, "added": 0}
    assert first["word_error_rate"] == 0.75
    assert second["word_error_rate"] == 5 / 3  # nothing of it was heard
    assert third["category"] == "fast"
    assert report["overall"]["word_error_rate"]["median"] == third["word_error_rate"] == 1.0
    assert report["categories"]["plain"]["takes"] == 4
    takes = lines(options.out, "takes")
    ended = [take for take in takes if take["end"] != "stopped"]
    assert report["overall"]["stop_failures"]["takes"] == len(ended)
    assert report["timing"]["all_cores"]["takes"] == 6 and report["timing"]["gui_core"] is None
    assert report == json.loads((options.out / "report.json").read_text())
    assert "WER median" in (options.out / "report.txt").read_text()
    for take in takes:
        assert 0 < take["first_packet_seconds"] <= take["last_packet_seconds"] <= take["total_seconds"]
        assert (options.out / "takes" / take["file"]).is_file()


@pytest.mark.parametrize(("stop", "failures"), [("never", 6), ("always", 0)])
def test_stop_failures_and_retries_are_counted(options: EvaluateOptions, stop: str, failures: int) -> None:
    overall = run(options, Speaking(stop=stop))["overall"]
    assert overall["stop_failures"]["takes"] == failures
    bad = overall["bad_cases"]
    if stop == "never":
        assert bad == {"takes": 6, "retried": 6, "attempts": 6, "converged": 0}


def test_a_killed_evaluation_goes_on_where_it_was(options: EvaluateOptions, tmp_path: Path) -> None:
    whole = run(replace(options, out=tmp_path / "whole"), Speaking())
    speaking = Speaking()
    speaking.last = 4
    with pytest.raises(KeyboardInterrupt):
        run(options, speaking)
    with (options.out / "takes.jsonl").open("a") as stream:
        stream.write('{"key": "half of a li')
    speaking, ear = Speaking(), Ear()
    report = run(options, speaking, ear)
    assert len(speaking.made) == 2
    for name in ("overall", "categories"):
        assert report[name] == whole[name]
    # Nothing is left to do, so the model is not even loaded, and nothing is heard twice.
    again = run(options, Speaking("tiny-v2"), ear)
    assert again["timing"] == report["timing"] and ear.count <= 6
    takes = {(t["text"], t["seed"]): t["file"] for t in lines(options.out, "takes")}
    for take in lines(tmp_path / "whole", "takes"):
        one = (tmp_path / "whole" / "takes" / take["file"]).read_bytes()
        assert (options.out / "takes" / takes[take["text"], take["seed"]]).read_bytes() == one


def test_a_recording_that_was_lost_is_made_again(options: EvaluateOptions) -> None:
    run(options, Speaking())
    lost = lines(options.out, "takes")[2]
    (options.out / "takes" / lost["file"]).unlink()
    speaking = Speaking()
    run(options, speaking)
    assert [(r.text, r.seed) for r in speaking.made] == [(lost["text"], lost["seed"])]


def test_more_seeds_add_takes_and_other_sampling_is_refused(options: EvaluateOptions) -> None:
    run(options, Speaking())
    speaking = Speaking()
    report = run(replace(options, seeds=3), speaking)
    assert len(speaking.made) == 3 and report["overall"]["takes"] == 9
    with pytest.raises(RequestError, match="steps was 2 and is 3"):
        run(replace(options, steps=3), Speaking())


def test_a_core_is_left_to_the_window(options: EvaluateOptions) -> None:
    speaking = Speaking()
    before = torch.get_num_threads()
    report = run(replace(options, seeds=1, threads=2, gui_core=True), speaking)
    assert speaking.threads == [2] * 3 + [1] * 3 and torch.get_num_threads() == before
    assert report["timing"]["gui_core"]["threads"] == 1 and report["timing"]["gui_core"]["takes"] == 3
    assert report["overall"]["takes"] == 3
    with pytest.raises(RequestError, match="only one processor thread"):
        run(replace(options, threads=1, gui_core=True), Speaking())


def test_originals_stand_beside_and_are_subtracted_nowhere(options: EvaluateOptions, tmp_path: Path) -> None:
    folder = tmp_path / "originals"
    folder.mkdir()
    with pytest.raises(RequestError, match=r"3 of 3 sentences \(first: 001.wav\)"):
        run(replace(options, originals=str(folder)), Speaking())
    for number in (1, 2, 3):
        shutil.copyfile(audio_file("short", 16_000), folder / f"{number:03d}.wav")
    report = run(replace(options, originals=str(folder)), Speaking())
    assert report["overall"]["original_word_error_rate"] == report["overall"]["word_error_rate"]
    assert report["overall"]["word_error_rate"]["median"] == 1.0


@pytest.mark.skipif(shutil.which("flite") is None, reason="flite is not installed")
def test_flite_speaks_the_originals(options: EvaluateOptions) -> None:
    with pytest.raises(RequestError, match="flite has no voice 'nobody'"):
        run(replace(options, originals="flite:nobody"), Speaking())
    report = run(replace(options, originals="flite:kal16", seeds=1), Speaking())
    assert report["overall"]["original_word_error_rate"] is not None
    files = list((options.out / "originals").iterdir())
    assert len(files) == 3 and all(f.read_bytes()[:4] == b"RIFF" for f in files)


@pytest.fixture
def voices(tmp_path: Path) -> Path:
    """Two "voices" that are easy to tell apart: a low and a high tone."""
    for name, pitch in (("low", 100.0), ("high", 3000.0)):
        (tmp_path / "voices" / name).mkdir(parents=True)
        for number in (1, 2):
            tone = 0.5 * np.sin(2 * np.pi * pitch * number * np.arange(16_000) / 16_000)
            write_wav(tmp_path / "voices" / name / f"{number}.wav", tone.astype(np.float32), 16_000)
    return tmp_path / "voices"


def test_descriptions_and_references(options: EvaluateOptions, voices: Path, tmp_path: Path) -> None:
    (tmp_path / "d.txt").write_text("a deep voice\tlow\na bright voice\thigh\n")
    chosen = replace(
        options, seeds=1, voice_seeds=3, references=voices, held_out=("high",), descriptions=tmp_path / "d.txt",
        consent="tones", describe=(("fast", "speaking quickly"),),
    )  # fmt: skip
    speaking = Speaking()
    report = run(chosen, speaking)
    described = [r for r in speaking.made if r.description in ("a deep voice", "a bright voice")]
    assert len(described) == 6 and len({(r.text, r.seed) for r in described}) > 3
    assert [r.description for r in speaking.made if r.text == "Run for the bus!" and r.voice is None] == [
        "speaking quickly"
    ]
    referenced = [r for r in speaking.made if r.voice is not None]
    assert len(referenced) == 6 and {r.voice.consent_id for r in referenced if r.voice} == {"tones"}
    assert report["reference_voices"] == {"voices": ["high", "low"], "recordings": 4, "right": 4}
    found = report["descriptions"]
    assert found["takes"] == 6 and found["share_right"] == found["right"] / 6
    assert sum(e["nearest"].count(e["expected"]) for e in found["each"]) == found["right"]
    # Random weights make one kind of noise, whatever is asked for: one of the two tones is nearer to most of it.
    assert 0.5 < found["similarity_between_takes"] <= 1.0
    assert report["references"]["known"]["takes"] == report["references"]["held_out"]["takes"] == 3
    assert [e["voice"] for e in report["references"]["each"] if e["held_out"]] == ["high"]


@pytest.mark.parametrize(
    ("change", "kind", "problem"),
    [
        (lambda o, v: replace(o, references=v), ConsentError, "--consent WHO"),
        (lambda o, v: replace(o, references=v, consent="x", held_out=("me",)), RequestError, "'me' is no folder"),
        (lambda o, v: replace(o, seeds=0), RequestError, "seeds"),
        (lambda o, v: replace(o, cfg=float("nan")), RequestError, "cfg"),
        (lambda o, v: replace(o, describe=(("slow", "x"),)), RequestError, "no category slow"),
        (lambda o, v: replace(o, descriptions=o.sentences), RequestError, "needs --references"),
        (lambda o, v: replace(o, originals=str(v / "nowhere")), RequestError, "has no recording"),
    ],
)
def test_bad_choices_are_refused_before_any_work(
    options: EvaluateOptions, voices: Path, change: Callable[..., EvaluateOptions], kind: type[Exception], problem: str
) -> None:
    def never() -> Any:
        raise AssertionError("nothing may be loaded")

    with pytest.raises(kind, match=problem):
        evaluate(change(options, voices), checkpoint("tiny-v2"), Tools(never, never, never), lambda *_: None)
    assert not options.out.exists()


def test_old_models_take_no_reference_and_no_description(options: EvaluateOptions, voices: Path) -> None:
    with pytest.raises(RequestError, match="takes no reference"):
        run(replace(options, references=voices, consent="x"), Speaking("tiny-v1"))
    with pytest.raises(RequestError, match=r"description.*Run for the bus"):
        run(replace(options, describe=(("fast", "quick"),)), Speaking("tiny-v1"))
    with pytest.raises(CheckpointError):
        evaluate(options, options.out, Tools(Speaking(), Ear, Likeness), lambda *_: None)


def test_a_text_that_does_not_fit_is_told_before_the_first_take(options: EvaluateOptions, tmp_path: Path) -> None:
    options.sentences.write_text("plain\tHello.\nlong\t" + "A very long sentence indeed. " * 400 + "\n")
    speaking = Speaking()
    with pytest.raises(RequestError, match="positions"):
        run(options, speaking)
    assert not speaking.made


def test_it_is_a_command() -> None:
    import sys

    command = [sys.executable, "-m", "voxcpm.cli", "evaluate"]
    done = subprocess.run([*command, "--help"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "exit codes" in done.stdout and "--originals" in done.stdout
