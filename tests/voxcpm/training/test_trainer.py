"""The training loop: it learns, it says what is missing (OPEN-13); resuming is in test_resuming."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.voxcpm.conftest import checkpoint
from tests.voxcpm.training.conftest import (
    WEIGHT_FILES,
    command_of,
    make_data,
    make_lines,
    notes,
    same_weights,
    steps_of,
    tiny_options,
    tone,
    write_lines,
)
from voxcpm.checkpoint import read_tensors
from voxcpm.consent import ConsentRecord
from voxcpm.errors import ConsentError, DatasetError, RequestError, VoxCPMError
from voxcpm.lora import WEIGHTS, read_lora
from voxcpm.modules.minicpm4 import MiniCPM4
from voxcpm.pipeline import VoxCPM
from voxcpm.request import Request
from voxcpm.training import cli
from voxcpm.training.batch import Example, collate
from voxcpm.training.data import BatchStream, build_dataset, fitted_batch
from voxcpm.training.latents import LatentCache
from voxcpm.training.loading import load_trainable
from voxcpm.training.losses import training_losses
from voxcpm.training.manifest import check_manifest
from voxcpm.training.memory import activation_values
from voxcpm.training.options import TrainOptions
from voxcpm.training.runs import RunFolder
from voxcpm.training.seeds import generator_for
from voxcpm.training.trainer import train

# -- it learns ------------------------------------------------------------------------------------------------


def test_sixty_steps_learn_four_sentences_by_heart(tmp_path: Path) -> None:
    data = make_data(tmp_path, 4)
    options = tiny_options(
        data, validation=str(data), steps=60, batch_size=4, accumulate=4, rank=32, alpha=64.0, adapt_projections=True,
        validate_every=1, save_every=1000, keep=1,
    )  # fmt: skip
    few = replace(options, validate_every=59)
    events: list[dict[str, Any]] = []
    train(replace(few, steps=1, learning_rate=1e-9), tmp_path / "before", listener=events.append)
    outcome = train(few, tmp_path / "run", listener=events.append)
    before, *_, after = [event for event in events if event["event"] == "validation"]
    assert after["step"] == 60 and outcome.steps == 60 and outcome.reason == "finished"
    # The same sentences with the same random draws, before and after.
    assert after["loss"] < 0.4 * before["loss"]
    assert after["stop"] < 0.2 * before["stop"]
    # With the text of another sentence it does worse: the text is used. (All four fit one batch.)
    assert after["text_gap"] > 0.05
    first, *_, last = steps_of(tmp_path / "run")
    assert last["loss"] < 0.4 * first["loss"]


def test_the_result_is_a_lora_that_an_engine_takes(tmp_path: Path) -> None:
    data = make_data(tmp_path, 2, consent_record_id="anna-1")
    outcome = train(tiny_options(data, adapt_projections=True), tmp_path / "run")
    assert outcome.result is not None
    weights = read_lora(outcome.result)
    assert (weights.config.r, weights.config.alpha, weights.base_model) == (4, 8.0, "tiny-v2")
    assert weights.consent_ids == ("anna-1",)
    engine = VoxCPM.load(checkpoint("tiny-v2"), device="cpu", dtype="float32")
    with pytest.raises(ConsentError, match="anna-1"):
        engine.load_lora(outcome.result)
    info = engine.load_lora(outcome.result, consent=ConsentRecord("anna-1", frozenset({"generate"})))
    assert info.layers == 28 and not info.missing and not info.skipped
    assert engine.generate(Request("Hello", seed=1, steps=2, max_patches=3)).patches == 3


def test_a_whole_model_is_exported_like_the_published_ones(tmp_path: Path) -> None:
    data = make_data(tmp_path, 2)
    options = tiny_options(data, mode="full", learning_rate=1e-3, steps=3, validate_every=2)
    options = replace(options, validation=str(data), samples=("Hello there",))
    outcome = train(options, tmp_path / "run")
    assert outcome.result is not None
    engine = VoxCPM.load(outcome.result, device="cpu", dtype="float32")
    assert engine.generate(Request("Hello", seed=1, steps=2, max_patches=3)).patches == 3
    base, tuned = (load_file(folder / "model.safetensors") for folder in (checkpoint("tiny-v2"), outcome.result))
    assert base.keys() == tuned.keys()
    assert {n: t.dtype for n, t in base.items()} == {n: t.dtype for n, t in tuned.items()}
    assert not torch.equal(base["base_lm.norm.weight"], tuned["base_lm.norm.weight"])
    # A copy of the pickled codec would be a file that nobody knows.
    assert not (outcome.result / "audiovae.pth").exists()
    codec, pickled = (dict(read_tensors((file,))) for file in (outcome.result / "audiovae.safetensors",
                                                               checkpoint("tiny-v2") / "audiovae.pth"))  # fmt: skip
    assert codec.keys() == pickled.keys() and all(torch.equal(codec[name], pickled[name]) for name in codec)
    spoken = sorted(path.name for path in (tmp_path / "run" / "samples").iterdir())
    assert spoken == ["step-00000002-1.wav", "step-00000003-1.wav"]


def test_bfloat16_runs_under_autocast(tmp_path: Path) -> None:
    data = make_data(tmp_path, 2)
    for mode in ("lora", "full"):
        options = tiny_options(data, mode=mode, precision="bfloat16", steps=2, validation=str(data), samples=("Hello",),
                               learning_rate=1e-3, dropout=0.1 if mode == "lora" else 0.0)  # fmt: skip
        outcome = train(options, tmp_path / mode)
        assert outcome.result is not None
        assert all(torch.isfinite(t).all() for t in load_file(outcome.result / WEIGHT_FILES[mode]).values())


def test_a_model_without_references_leaves_them_out(tmp_path: Path) -> None:
    lines = make_lines(tmp_path, 3)
    lines[0]["ref_audio"] = lines[1]["audio"]
    data = write_lines(tmp_path / "m.jsonl", lines)
    said = notes(tiny_options(data, model=str(checkpoint("tiny-v1")), steps=1), tmp_path / "v1")
    assert any("takes no reference: 1 references" in text for text in said)
    assert steps_of(tmp_path / "v1")[0]["patches"] > 0
    train(tiny_options(data, steps=1), tmp_path / "v2")


# -- OPEN-13 --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [3, 1])
def test_few_recordings_run_in_a_smaller_batch_and_say_so(tmp_path: Path, count: int) -> None:
    said = notes(tiny_options(make_data(tmp_path, count), batch_size=4, steps=3), tmp_path / "run")
    assert any(f"a batch of {count} is used" in text for text in said)
    assert any(f"{count} lines read, {count} kept" in text for text in said)
    assert [step["sentences"] for step in steps_of(tmp_path / "run")] == [count] * 3


def test_only_too_long_recordings_stop_before_the_first_step(tmp_path: Path) -> None:
    options = tiny_options(make_data(tmp_path, 8), max_tokens=5)
    with pytest.raises(DatasetError) as caught:
        train(options, tmp_path / "run")
    text = str(caught.value)
    assert "8 lines read, 0 kept, left out: 8 longer than 5 positions" in text
    limit = int(text.split("Raise the limit to ")[1].split()[0])
    assert not RunFolder(tmp_path / "run").log()
    assert (
        train(replace(options, max_tokens=limit, steps=1), tmp_path / "again").steps == 1
    )  # the proposal is a good one


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_an_empty_manifest_stops_before_the_first_step(tmp_path: Path, content: str) -> None:
    (tmp_path / "m.jsonl").write_text(content)
    with pytest.raises(DatasetError, match=r"0 lines read, 0 kept, left out: none.*Write a line"):
        train(tiny_options(tmp_path / "m.jsonl"), tmp_path / "run")


def test_too_short_recordings_are_counted(tmp_path: Path) -> None:
    tone(tmp_path / "s.wav", 0, 0.1)
    path = write_lines(tmp_path / "m.jsonl", [{"audio": "s.wav", "text": "Hello"}])
    with pytest.raises(DatasetError, match=r"1 lines read, 0 kept, left out: 1 too short"):
        train(tiny_options(path), tmp_path / "run")


def test_more_processes_than_sentences_are_told() -> None:
    options = tiny_options(Path("m.jsonl"), batch_size=4)
    assert fitted_batch([object()] * 8, options, 2) == (4, None)  # type: ignore[list-item]
    size, remark = fitted_batch([object()] * 3, options, 2)  # type: ignore[list-item]
    assert size == 1 and remark is not None and "2 processes" in remark


# -- the rest -------------------------------------------------------------------------------------------------


def test_validation_leaves_no_trace_in_training(tmp_path: Path) -> None:
    data = make_data(tmp_path, 4)
    plain = tiny_options(data, steps=4, dropout=0.3)
    before = torch.random.get_rng_state()
    train(plain, tmp_path / "plain")
    train(replace(plain, validation=str(data), validate_every=1, samples=("Hello",)), tmp_path / "judged")
    assert torch.equal(torch.random.get_rng_state(), before)
    assert steps_of(tmp_path / "plain") == steps_of(tmp_path / "judged")
    for name in ("step-00000004",):
        assert same_weights(tmp_path / "plain" / name / WEIGHTS, tmp_path / "judged" / name / WEIGHTS)


def test_curves_for_tensorboard_say_what_the_log_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    options = tiny_options(make_data(tmp_path, 2), steps=4, save_every=2, tensorboard=True)
    left = iter((False, False, True))
    assert train(options, tmp_path / "run", stopping=lambda: next(left)).reason == "stopped"
    train(options, tmp_path / "run", resume=True)
    curves = EventAccumulator(str(tmp_path / "run" / "tensorboard")).Reload()
    logged = [(e["step"], e["loss"]) for e in RunFolder(tmp_path / "run").log() if e["event"] == "step"]
    assert [(e.step, pytest.approx(e.value)) for e in curves.Scalars("step/loss")] == logged
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RequestError, match="tensorboard"):
        train(options, tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_training_ends_early_and_the_best_is_the_result(tmp_path: Path) -> None:
    data = make_data(tmp_path, 2)
    # A rate far too high: the first validation is the best.
    options = tiny_options(data, validation=str(data), steps=100, learning_rate=0.9, warmup_steps=0, validate_every=2,
                           patience=2, keep=1, clip=0.0, alpha=64.0)  # fmt: skip
    outcome = train(options, tmp_path / "run")
    assert outcome.reason == "early" and outcome.steps < 100 and outcome.result is not None
    best = f"step-{outcome.best_step:08d}"
    assert same_weights(outcome.result / WEIGHTS, tmp_path / "run" / best / WEIGHTS)
    judged = [e for e in RunFolder(tmp_path / "run").log() if e["event"] == "validation"]
    assert min(judged, key=lambda e: e["loss"])["step"] == outcome.best_step
    assert train(options, tmp_path / "run", resume=True).reason == "early"


def test_the_mean_is_over_all_patches_of_a_step(tmp_path: Path) -> None:
    """Batches of unequal size do not weigh unequally."""
    data = make_data(tmp_path, 4)
    options = tiny_options(data, batch_size=1, accumulate=3, steps=1)
    train(options, tmp_path / "run")
    parts = load_trainable(checkpoint("tiny-v2"), device=torch.device("cpu"))
    cache = LatentCache(tmp_path / ".latents", parts.vae, parts.config.patch_size)
    dataset = build_dataset(check_manifest(data), cache, parts.tokenizer, max_tokens=500, takes_reference=True)
    batches = [batch for _, batch in islice(BatchStream(dataset.items, 1, 4096, 0).start_at(0), 3)]
    assert len({item.patches for batch in batches for item in batch}) > 1
    with torch.no_grad():  # a fresh adapter changes nothing, so the base model's losses are those of the first step
        losses = [
            training_losses(parts.model, collate([i.load(cache) for i in batch]), generator_for(0, "draws", index))
            for index, batch in enumerate(batches)
        ]
    patches = sum(found.patches for found in losses)
    step = steps_of(tmp_path / "run")[0]
    assert step["patches"] == patches
    assert step["diff"] == pytest.approx(sum(float(found.diff) for found in losses) / patches, rel=1e-5)
    assert step["stop"] == pytest.approx(sum(float(found.stop) for found in losses) / patches, rel=1e-5)
    assert step["loss"] == pytest.approx(step["diff"] + step["stop"])


def test_the_rate_warms_up_and_falls() -> None:
    options = TrainOptions("m", "d", steps=100, warmup_steps=10, learning_rate=1e-3, final_rate=0.1)
    rates = [options.learning_rate_at(step) for step in range(1, 101)]
    assert rates[0] == pytest.approx(1e-4) and rates[9] == pytest.approx(1e-3) and max(rates) == rates[9]
    assert rates[-1] == pytest.approx(1e-4) and rates[9:] == sorted(rates[9:], reverse=True)
    assert TrainOptions("m", "d").rate == 1e-4 and TrainOptions("m", "d", mode="full").rate == 1e-5


@pytest.mark.parametrize(
    ("field", "value"),
    [("mode", "half"), ("steps", 0), ("batch_size", True), ("learning_rate", float("nan")), ("dropout", 1.0),
     ("seed", 2**32), ("patience", 2), ("precision", "float8"), ("clip", -1.0)],
)  # fmt: skip
def test_choices_that_make_no_sense_are_refused(field: str, value: object, tmp_path: Path) -> None:
    with pytest.raises(RequestError) as caught:
        train(replace(tiny_options(tmp_path / "m.jsonl"), **{field: value}), tmp_path / "run")
    assert caught.value.field == field
    assert not (tmp_path / "run").exists()


def test_a_loss_that_is_no_number_keeps_the_last_checkpoint(tmp_path: Path) -> None:
    data = make_data(tmp_path, 2)
    options = tiny_options(data, save_every=1)
    seen: list[int] = []

    def poison(event: dict[str, Any]) -> None:
        if event["event"] == "saved":
            seen.append(event["step"])
            if event["step"] == 2:
                for file in (tmp_path / ".latents").rglob("*.safetensors"):
                    save_file({"patches": torch.full_like(load_file(file)["patches"], float("nan"))}, file)

    with pytest.raises(VoxCPMError, match="no number any more at step 3"):
        train(options, tmp_path / "run", listener=poison)
    assert [saved.step for saved in RunFolder(tmp_path / "run").checkpoints()[0]] == [1, 2]


def test_one_run_at_a_time_in_a_folder(tmp_path: Path) -> None:
    data = make_data(tmp_path, 2)
    options = tiny_options(data, steps=1)
    refused: list[str] = []

    def again(event: dict[str, Any]) -> None:
        if event["event"] == "step":
            with pytest.raises(RequestError, match="another process is training"):
                train(options, tmp_path / "run")
            refused.append("yes")

    train(options, tmp_path / "run", listener=again)
    assert refused == ["yes"]


def test_memory_is_told_before_the_first_step(tmp_path: Path) -> None:
    events: list[dict[str, Any]] = []
    train(tiny_options(make_data(tmp_path, 2), steps=1), tmp_path / "run", listener=events.append)
    told = next(i for i, e in enumerate(events) if e["event"] == "note" and e["message"].startswith("Needs about"))
    assert told < next(i for i, e in enumerate(events) if e["event"] == "step")


def test_recomputing_changes_memory_and_nothing_else(tmp_path: Path) -> None:
    data = make_data(tmp_path, 4)
    options = tiny_options(data, steps=3, dropout=0.2)
    train(options, tmp_path / "keep")
    train(replace(options, recompute=True), tmp_path / "again")
    assert steps_of(tmp_path / "keep") == steps_of(tmp_path / "again")
    assert same_weights(tmp_path / "keep" / "final" / WEIGHTS, tmp_path / "again" / "final" / WEIGHTS)
    kept: dict[bool, int] = {}
    for recompute in (False, True):
        parts = load_trainable(checkpoint("tiny-v2"), device=torch.device("cpu"))
        for stack in parts.model.modules():
            if isinstance(stack, MiniCPM4):
                stack.recompute = recompute
        batch = collate([Example([300] * 4, torch.randn(40, 4, 16)) for _ in range(4)])
        sizes: dict[int, int] = {}

        def keep(tensor: torch.Tensor, sizes: dict[int, int] = sizes) -> torch.Tensor:
            sizes[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            losses = training_losses(parts.model, batch, torch.Generator().manual_seed(0))
        kept[recompute] = sum(sizes.values()) - sum(p.nbytes for p in parts.model.parameters())
        assert losses.patches == 160
    assert kept[True] < 0.4 * kept[False]
    rough = [activation_values(parts.config, 4 * 46, recompute=recompute) * 4 for recompute in (False, True)]
    assert rough[1] < rough[0] / 2
    assert 0.4 < rough[0] / kept[False] < 2.5  # an estimate, but not out of the air


def test_damaged_latents_are_made_again(tmp_path: Path) -> None:
    data = make_data(tmp_path, 2)
    options = tiny_options(data, steps=2)
    train(options, tmp_path / "a")
    for file in (tmp_path / ".latents").rglob("*.safetensors"):
        file.write_bytes(file.read_bytes()[:-5])
    train(options, tmp_path / "b")
    assert steps_of(tmp_path / "a") == steps_of(tmp_path / "b")


def test_leaks_between_the_two_manifests_are_told(tmp_path: Path) -> None:
    data = make_data(tmp_path, 2)
    said = notes(tiny_options(data, steps=1, validation=str(data)), tmp_path / "run")
    assert sum("training and the validation manifest" in text for text in said) == 3


def test_the_command_writes_events_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = make_data(tmp_path, 2)
    options = tiny_options(data, steps=2)
    assert cli.run([*command_of(options, tmp_path / "run"), "--json"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [e["step"] for e in events if e["event"] == "step"] == [1, 2]
    assert events[-1]["event"] == "end" and Path(events[-1]["result"]).is_dir()
    assert cli.run(["train", "--out", str(tmp_path / "x"), "--model", str(checkpoint("tiny-v2"))]) == 2
    assert cli.run(["train", "--resume", str(tmp_path / "run"), "--steps", "9"]) == 2
