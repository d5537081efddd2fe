"""Training of the demo model: it learns to use the text, resumes to the bit, and what it exports is a whole model."""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import signal
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from voxcpm.errors import CheckpointError, DatasetError, RequestError
from voxcpm.pipeline import VoxCPM
from voxcpm.request import Request
from voxcpm.training.codec_net import export_codec, new_codec
from voxcpm.training.codec_options import DEMO_CODEC
from voxcpm.training.latents import codec_identity
from voxcpm.training.loading import load_trainable
from voxcpm.training.runs import RunFolder
from voxcpm.training.trainer import train
from voxcpm.training.world import World

SMALL_CODEC = replace(DEMO_CODEC, encoder_dim=2, decoder_dim=32, latent_dim=4)
CPU = torch.device("cpu")


def shrunk(raw: dict[str, Any]) -> dict[str, Any]:
    """The demo model's configuration with little of everything."""
    rope = {**raw["lm_config"]["rope_scaling"], "long_factor": [1.0] * 8, "short_factor": [1.0] * 8}
    local = {"hidden_dim": 32, "ffn_dim": 64, "num_heads": 2, "kv_channels": 16, "num_layers": 1}
    small = {"hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 2, "num_key_value_heads": 1}
    return {
        **raw,
        "lm_config": {**raw["lm_config"], **small, "num_hidden_layers": 2, "kv_channels": 16, "rope_scaling": rope},
        "residual_lm_num_layers": 1,
        "encoder_config": {**raw["encoder_config"], **local},
        "dit_config": {**raw["dit_config"], **local},
    }


@dataclass
class Made:
    """A model to start from, a store of latents, and options for a short run."""

    folder: Path
    scripts: Any

    def options(self, **changes: Any) -> Any:
        values = {
            "model": str(self.folder / "base"),
            "data": str(self.folder / "latents"),
            "steps": 6,
            "warmup_steps": 2,
            "batch_size": 8,
            "judged": 8,
            "samples": (),
            "device": "cpu",
            "precision": "float32",
            "threads": 1,
            "validate_every": 1000,
            "save_every": 1000,
            **changes,
        }
        return self.scripts("demo_training").DemoOptions(**values)

    def train(self, name: str, options: Any, **how: Any) -> Any:
        return train(options, self.folder / name, kind=self.scripts("demo_training").DemoTrainer, **how)

    def log(self, name: str, kind: str) -> list[dict[str, Any]]:
        events = [event for event in RunFolder(self.folder / name).log() if event["event"] == kind]
        return [{key: value for key, value in event.items() if key != "seconds"} for event in events]


@pytest.fixture
def made(script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    """Speech of two voices whose loudness is said by the first letter of the text alone."""
    export_codec(new_codec(SMALL_CODEC, torch.Generator().manual_seed(0)), tmp_path / "codec")
    base = script("make_base")
    config = base.config
    monkeypatch.setattr(base, "config", lambda codec: shrunk(config(codec)))
    monkeypatch.setattr(sys, "argv", ["make_base.py", str(tmp_path / "codec"), str(tmp_path / "base")])
    base.main()
    write_store(tmp_path / "latents", codec_identity(load_trainable(tmp_path / "base", device=CPU).vae))
    return Made(tmp_path, script)


def write_store(folder: Path, codec: str, count: int = 72, *, mute: bool = False) -> None:
    draw, noise = random.Random(0), np.random.default_rng(0)
    lines, latents, counts = [], [], []
    for number in range(count):
        sign = 1 - 2 * (number // 2 % 2)
        text = " ".join("ab"[sign < 0 and not mute] + "e" * draw.randint(1, 5) for _ in range(draw.randint(3, 5)))
        patches = draw.randint(6, 9)
        latents.append(1.5 * sign + 0.2 * noise.standard_normal((patches, 4, 4)))
        counts.append(patches)
        heard = {"phones": "pau " + " ".join("a" if sign > 0 else "b" for _ in "12"), "ends": [40, 500, 900]}
        voice = {"voice": ("rms", "v")[number % 2], "pitch": "low", "description": "a calm voice", **heard}
        lines.append(json.dumps({"text": text, **voice}) + "\n")
    folder.mkdir()
    np.concatenate(latents).astype(np.float16).tofile(folder / "latents.f16")
    ends = np.cumsum(counts)
    np.save(folder / "index.npy", np.stack((ends - counts, np.array(counts)), axis=1))
    (folder / "items.jsonl").write_text("".join(lines), encoding="utf-8")
    head = {"patch_size": 4, "latent_dim": 4, "frame_seconds": 0.04, "codec": codec}
    (folder / "latents.json").write_text(json.dumps(head), encoding="utf-8")


def test_a_run_learns_to_use_the_text_and_its_export_speaks(made: Made) -> None:
    options = made.options(steps=90, learning_rate=1e-2, average=0.8, validate_every=30)
    outcome = made.train("run", options)
    steps, judged = made.log("run", "step"), made.log("run", "validation")
    assert outcome.reason == "finished" and len(steps) == 90 and len(judged) == 3
    assert np.mean([e["loss"] for e in steps[-5:]]) < 0.5 * np.mean([e["loss"] for e in steps[:5]])
    assert np.mean([e["phone"] for e in steps[-5:]]) < 0.5 * np.mean([e["phone"] for e in steps[:5]])
    assert np.mean([e["phones_right"] for e in steps[-5:]]) > 0.75
    assert judged[-1]["text_gap"] > 0.05

    assert outcome.result is not None
    target = made.folder / "exported"
    step = made.scripts("demo_export").export_run(made.folder / "run", target)
    names = {"audiovae.safetensors", "config.json", "model.safetensors", "model_card.json", "tokenizer.json",
             "tokenizer_config.json", "training.json"}  # fmt: skip
    assert {p.name for p in target.iterdir()} == {p.name for p in outcome.result.iterdir()} == names
    weights, base = load_file(target / "model.safetensors"), load_file(made.folder / "base" / "model.safetensors")
    assert {name: value.shape for name, value in weights.items()} == {n: v.shape for n, v in base.items()}
    assert {value.dtype for value in weights.values()} == {torch.bfloat16}
    averaged = load_file(made.folder / "run" / f"step-{step:08d}" / "averaged.safetensors")
    assert any(name.startswith("phone_head") for name in averaged)
    assert all(torch.equal(value, averaged[name].bfloat16()) for name, value in weights.items())
    card = json.loads((target / "model_card.json").read_text(encoding="utf-8"))
    assert "trying out" in card["name"] and card["steps"] == step and "rms, v" in card["training"]
    engine = VoxCPM.load(target, device="cpu", strict=True)
    result = engine.generate(Request("aee ae", description="a calm voice", seed=0, retries=1, max_patches=4))
    assert len(result.samples) and np.isfinite(result.samples).all()


def test_texts_that_say_nothing_leave_no_gap(made: Made) -> None:
    shutil.rmtree(made.folder / "latents")
    codec = codec_identity(load_trainable(made.folder / "base", device=CPU).vae)
    write_store(made.folder / "latents", codec, mute=True)
    made.train("run", made.options(steps=60, learning_rate=1e-2, average=0.8, phone_weight=0.0))
    assert abs(made.log("run", "validation")[-1]["text_gap"]) < 0.01


@pytest.mark.parametrize("optimizer", ["muon", "adamw"])
def test_a_resumed_run_does_what_an_uninterrupted_one_does(made: Made, optimizer: str) -> None:
    options = made.options(optimizer=optimizer, validate_every=3)
    made.train("whole", options)
    left = iter((False, False, True))
    assert made.train("parts", options, stopping=lambda: next(left)).reason == "stopped"
    assert [saved.step for saved in RunFolder(made.folder / "parts").checkpoints()[0]] == [3]
    assert made.train("parts", options, resume=True).reason == "finished"
    assert made.log("parts", "step") == made.log("whole", "step")
    assert made.log("parts", "validation")[-1] == made.log("whole", "validation")[-1]
    for name in ("model.safetensors", "averaged.safetensors", "optimizer.safetensors"):
        one, two = (load_file(made.folder / run / "step-00000006" / name) for run in ("whole", "parts"))
        assert one.keys() == two.keys() and all(torch.equal(one[key], two[key]) for key in one)


def test_no_epoch_is_mixed_like_another(made: Made) -> None:
    training, store = made.scripts("demo_training"), made.scripts("latent_store")
    latents, parts = store.LatentStore(made.folder / "latents"), load_trainable(made.folder / "base", device=CPU)
    stream = training.MixedStream(latents, parts.tokenizer, range(64), made.options())
    described = []
    for number in range(2):
        items = [item for batch in stream.epoch(number) for item in batch]
        assert sorted(item.number for item in items) == list(range(64))
        assert any(item.reference is not None for item in items)
        described.append({item.number for item in items if len(item.text_ids) > 30})
    assert described[0] and described[0] != described[1]


def test_what_was_spoken_before_is_heard_with_noise_and_what_is_learned_stays_clean(made: Made) -> None:
    kind = made.scripts("demo_training").DemoTrainer
    trainer = kind(made.options(), RunFolder(made.folder / "run"), CPU, World.join(CPU), None)
    trainer._check_data()
    trainer.parts = trainer._load()
    trainer._open_data()
    _, items = next(trainer.stream.start_at(0))
    batch = trainer._collate(items, 0)
    difference = batch.heard - batch.feats
    assert not difference[~batch.audio_mask].any()
    strengths = torch.stack([row[mask].std() for row, mask in zip(difference, batch.audio_mask, strict=True)])
    assert 0 < strengths.min() < strengths.max() <= 1.2 * trainer.options.history_noise
    assert torch.equal(batch.heard, trainer._collate(items, 0).heard)
    assert not torch.equal(batch.heard, trainer._collate(items, 1).heard)


def test_texts_to_judge_by_are_learned_from_in_no_voice(made: Made) -> None:
    file = made.folder / "latents" / "items.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()
    lines[5] = json.dumps({**json.loads(lines[5]), "text": json.loads(lines[70])["text"].upper()})
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    training = made.scripts("demo_training")
    trainer = training.DemoTrainer(made.options(), RunFolder(made.folder / "run"), CPU, None, None)
    trainer._check_data()
    assert list(trainer.judged_numbers) == list(range(64, 72))
    assert trainer.numbers == [number for number in range(64) if number != 5]


def test_texts_are_exchanged_among_sentences_of_like_length(made: Made) -> None:
    training, store = made.scripts("demo_training"), made.scripts("latent_store")
    latents, parts = store.LatentStore(made.folder / "latents"), load_trainable(made.folder / "base", device=CPU)
    plain = list(store.mixed_items(latents, parts.tokenizer, range(72), 0, plain=True))
    batches = training.DemoValidator(plain, plain, made.options(), None).plain.batches
    assert sorted(item.number for batch in batches for item in batch) == list(range(72))
    longest = [max(len(item.text_ids) for item in batch) for batch in batches]
    assert all(len(item.text_ids) >= high for high, batch in zip(longest, batches[1:], strict=False) for item in batch)


def test_the_phones_of_a_patch_count_as_one(made: Made) -> None:
    head = made.scripts("demo_training").PhoneHead(8, 2, 5)
    states = torch.randn(3, 8, generator=torch.Generator().manual_seed(1), requires_grad=True)
    heard = torch.tensor([[0, 1], [0, 0], [4, 0]])
    nats, right = head(states, heard)
    assert nats.item() == pytest.approx(3 * math.log(5)) and right.item() == 2.0  # nothing learned: the first phone
    nats.backward()
    assert head.weight.grad is not None and head.weight.grad.any()


def test_data_that_does_not_fit_is_refused_before_the_first_step(made: Made) -> None:
    with pytest.raises(RequestError, match="optimizer"):
        made.train("run", made.options(optimizer="nobody"))
    with pytest.raises(DatasetError, match="too few"):
        made.train("run", made.options(judged=72))
    with pytest.raises(RequestError, match="phone_weight"):
        made.train("run", made.options(phone_weight=-1.0))
    head = made.folder / "latents" / "latents.json"
    head.write_text(head.read_text().replace('"codec": "', '"codec": "x'))
    with pytest.raises(DatasetError, match="another codec"):
        made.train("run", made.options())
    head.unlink()
    with pytest.raises(DatasetError, match="no store of latents"):
        made.train("run", made.options())
    with pytest.raises(CheckpointError, match="no training run"):
        made.scripts("demo_export").export_run(made.folder / "run", made.folder / "exported")


def test_the_command_stops_when_asked_or_when_time_is_over_and_goes_on(
    made: Made, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = made.scripts("train_model")
    run, export = str(made.folder / "run"), str(made.folder / "exported")
    start = ["--model", str(made.folder / "base"), "--data", str(made.folder / "latents"), "--out", run, "--steps", "4",
             "--batch-size", "4", "--judged", "4", "--threads", "1", "--device", "cpu", "--phone-weight", "0",
             "--sample", "ae be", "--warmup-steps", "1"]  # fmt: skip
    assert command.run([*start, "--minutes", "0"]) == 0
    assert [saved.step for saved in RunFolder(made.folder / "run").checkpoints()[0]] == [1]
    shown = command.show

    def terminate(event: dict[str, Any]) -> None:
        shown(event)
        if event["event"] == "step":
            os.kill(os.getpid(), signal.SIGTERM)

    with monkeypatch.context() as patched:
        patched.setattr(command, "show", terminate)
        assert command.run(["--resume", run]) == 0
    assert RunFolder(made.folder / "run").checkpoints()[0][-1].step == 2
    assert command.run(["--resume", run, "--steps", "9"]) == 1
    assert command.run(["--resume", run, "--export", export]) == 0
    assert "its own options" in capsys.readouterr().err
    assert (made.folder / "exported" / "model.safetensors").is_file()
    assert [p.name for p in (made.folder / "run" / "samples").iterdir()] == ["step-00000004-1.wav"]
    assert [event["step"] for event in made.log("run", "step")] == [1, 2, 3, 4]
