"""Training a codec: that it learns, goes on as if never interrupted, and is exported in the published layout."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from tests.voxcpm.conftest import checkpoint
from tests.voxcpm.training.conftest import make_data
from voxcpm.checkpoint import CheckpointFiles, load_vae, read_tensors
from voxcpm.config import AudioVAEConfig, VoxCPMConfig
from voxcpm.errors import CheckpointError, DatasetError, RequestError
from voxcpm.training.codec import averaged_codec, train_codec
from voxcpm.training.codec_cli import run
from voxcpm.training.codec_losses import SpectralSettings, kl_divergence, mel_matrix, spectral_losses
from voxcpm.training.codec_net import (
    add_weight_norm,
    export_codec,
    fold_weight_norms,
    latent_deviation,
    new_codec,
    reconstruct,
    scale_latents,
)
from voxcpm.training.codec_options import CodecOptions
from voxcpm.training.crops import Crops
from voxcpm.training.pcm_store import HEAD, PcmStore, PcmWriter
from voxcpm.training.runs import RunFolder

TINY = AudioVAEConfig(
    encoder_dim=4,
    encoder_rates=(8, 8),
    latent_dim=8,
    decoder_dim=32,
    decoder_rates=(8, 8),
    sample_rate=16_000,
    out_sample_rate=16_000,
    trim_odd_strides=True,
)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Six recordings of buzzing tones with pauses."""
    draw = np.random.default_rng(0)
    folder = tmp_path / "store"
    with PcmWriter(folder, 16_000) as writer:
        for number in range(6):
            times = np.arange(16_000) / 16_000
            wave = sum(np.sin(2 * np.pi * k * (150 + 20 * number) * times) / k for k in range(1, 9))
            gate = np.sin(2 * np.pi * (2 + number % 3) * times) > 0
            writer.add((0.2 * wave * gate + 0.002 * draw.normal(size=16_000)).astype(np.float32))
    return folder


def options(store: Path, **changes: object) -> CodecOptions:
    values = {
        "data": str(store),
        "codec": TINY,
        "steps": 6,
        "batch_size": 4,
        "crop_seconds": 0.25,
        "warmup_steps": 2,
        "validation_items": 2,
        "save_every": 3,
        "validate_every": 3,
        "device": "cpu",
        "threads": 1,
        **changes,
    }
    return CodecOptions(**values)  # type: ignore[arg-type]


def steps_of(folder: Path) -> list[dict]:
    events = [event for event in RunFolder(folder).log() if event["event"] == "step"]
    return [{k: v for k, v in event.items() if k != "seconds"} for event in events]


def test_a_codec_learns(store: Path, tmp_path: Path) -> None:
    chosen = options(store, steps=260, warmup_steps=10, learning_rate=8e-3, ema=0.9, save_every=260, validate_every=65)
    outcome = train_codec(chosen, tmp_path / "run")
    judged = [event["loss"] for event in RunFolder(tmp_path / "run").log() if event["event"] == "validation"]
    first = steps_of(tmp_path / "run")[0]["loss"]
    assert outcome.validation["loss"] == judged[-1] < 0.5 * first
    assert (tmp_path / "run" / "final" / "audiovae.safetensors").is_file()


@pytest.mark.parametrize("weight_norm", [False, True])
def test_a_resumed_run_equals_an_uninterrupted_one(store: Path, tmp_path: Path, weight_norm: bool) -> None:
    chosen = options(store, weight_norm=weight_norm)
    train_codec(chosen, tmp_path / "whole")
    asked = iter((False, False, False, True))
    stopped = train_codec(chosen, tmp_path / "parts", stopping=lambda: next(asked))
    assert (stopped.steps, stopped.result) == (4, None)
    outcome = train_codec(chosen, tmp_path / "parts", resume=True)
    assert outcome.steps == 6
    assert steps_of(tmp_path / "parts") == steps_of(tmp_path / "whole")
    whole, parts = (load_file(tmp_path / name / "final" / "audiovae.safetensors") for name in ("whole", "parts"))
    assert whole.keys() == parts.keys()
    assert all(torch.equal(whole[name], parts[name]) for name in whole)


def test_a_run_is_not_overwritten_and_goes_on_with_its_own_options_only(store: Path, tmp_path: Path) -> None:
    train_codec(options(store), tmp_path / "run")
    with pytest.raises(RequestError, match="holds a run"):
        train_codec(options(store), tmp_path / "run")
    with pytest.raises(RequestError, match="options it was started with"):
        train_codec(options(store, learning_rate=1e-3), tmp_path / "run", resume=True)


def model_config(section: dict) -> VoxCPMConfig:
    raw = json.loads((checkpoint("tiny-v2") / "config.json").read_text())
    return VoxCPMConfig.from_dict({**raw, "audio_vae_config": section, "feat_dim": section["latent_dim"]})


@pytest.mark.parametrize("weight_norm", [False, True])
def test_the_exported_file_is_read_by_the_loader_of_published_ones(tmp_path: Path, weight_norm: bool) -> None:
    vae = new_codec(TINY, torch.Generator().manual_seed(1))
    with torch.no_grad():
        vae.encoder.fc_mu.bias.normal_(generator=torch.Generator().manual_seed(2))
        if not weight_norm:
            vae.decoder.model[1].weight[3].zero_()  # a dead channel has no direction
    if weight_norm:
        add_weight_norm(vae)
    export_codec(vae, tmp_path)
    config = model_config(json.loads((tmp_path / "audio_vae_config.json").read_text()))
    assert config.audio_vae_config == TINY
    loaded = load_vae(config, read_tensors((tmp_path / "audiovae.safetensors",)), device=torch.device("cpu"))
    wave = torch.randn(1, 1000, generator=torch.Generator().manual_seed(3))
    latents = loaded.encode(wave)
    with torch.no_grad():
        torch.testing.assert_close(latents, vae.encode(wave), rtol=1e-5, atol=1e-6)
        torch.testing.assert_close(loaded.decode(latents), vae.decode(latents), rtol=1e-5, atol=1e-6)


def test_an_export_has_the_names_of_a_published_file(tmp_path: Path) -> None:
    folder = checkpoint("tiny-v15")
    config = VoxCPMConfig.from_file(folder)
    export_codec(new_codec(config.audio_vae_config, torch.Generator()), tmp_path)
    published = {name: t.shape for name, t in read_tensors(CheckpointFiles.locate(folder).vae)}
    made = {name: t.shape for name, t in load_file(tmp_path / "audiovae.safetensors").items()}
    assert made == published


def test_latents_are_scaled_to_size_one_and_the_sound_stays(store: Path) -> None:
    vae = new_codec(TINY, torch.Generator().manual_seed(1)).requires_grad_(False)
    wave = torch.from_numpy(PcmStore(store).read(0))[None]
    before = vae.decode(vae.encode(wave))
    scale_latents(vae, latent_deviation(vae, PcmStore(store)))
    torch.testing.assert_close(latent_deviation(vae, PcmStore(store)), torch.ones(TINY.latent_dim))
    torch.testing.assert_close(vae.decode(vae.encode(wave)), before, rtol=1e-4, atol=1e-6)


def test_weight_norm_changes_nothing_before_the_first_step() -> None:
    vae = new_codec(TINY, torch.Generator().manual_seed(1))
    wave = torch.randn(2, 640, generator=torch.Generator().manual_seed(3))
    before = vae.encode(wave)
    add_weight_norm(vae)
    torch.testing.assert_close(vae.encode(wave), before)
    fold_weight_norms(vae)
    torch.testing.assert_close(vae.encode(wave), before)


def test_noise_follows_the_variance_that_the_encoder_gives() -> None:
    vae = new_codec(TINY, torch.Generator().manual_seed(1)).requires_grad_(False)
    wave = 0.1 * torch.randn(1, 640, generator=torch.Generator().manual_seed(3))
    noise = torch.randn(1, TINY.latent_dim, 10, generator=torch.Generator().manual_seed(4))
    decoded, mean, log_variance = reconstruct(vae, wave, noise)
    torch.testing.assert_close(mean, vae.encode(wave))
    torch.testing.assert_close(decoded, vae.decode(mean + (0.5 * log_variance).exp() * noise))
    assert not torch.equal(decoded, vae.decode(mean))


def test_a_published_codec_is_adapted_with_its_encoder_kept(store: Path, tmp_path: Path) -> None:
    with PcmWriter(tmp_path / "wide", 48_000) as writer:
        for number in range(4):
            writer.add(np.sin(np.arange(24_000) * (0.01 + 0.01 * number)).astype(np.float32) * np.float32(0.3))
    folder = checkpoint("tiny-v2")
    chosen = options(tmp_path / "wide", model=str(folder), decoder_only=True, steps=2, batch_size=2)
    train_codec(chosen, tmp_path / "run")
    config = VoxCPMConfig.from_file(folder)
    device = torch.device("cpu")
    before = load_vae(config, read_tensors(CheckpointFiles.locate(folder).vae), device=device)
    made = tmp_path / "run" / "final" / "audiovae.safetensors"
    after = load_vae(config, read_tensors((made,)), device=device)
    wave = torch.randn(1, 6400, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(after.encode(wave), before.encode(wave), rtol=1e-4, atol=1e-4)
    latents = before.encode(wave)
    assert not torch.allclose(after.decode(latents), before.decode(latents))


def test_a_compiler_that_fails_is_no_reason_to_stop(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object, **__: object) -> object:
        def compiled(*_: object) -> object:
            raise RuntimeError("no compiler\nand a long trace")

        return compiled

    monkeypatch.setattr(torch, "compile", refuse)
    train_codec(options(store, compile=True), tmp_path / "compiled")
    assert [record.message for record in caplog.records] == [
        "the codec cannot be compiled here and takes longer to train: no compiler"
    ]
    train_codec(options(store), tmp_path / "plain")
    assert steps_of(tmp_path / "compiled") == steps_of(tmp_path / "plain")


def test_global_randomness_is_left_alone(store: Path, tmp_path: Path) -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    train_codec(options(store), tmp_path / "run")
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize(
    ("name", "value"),
    [("steps", 0), ("crop_seconds", 0.0), ("kl_weight", -1.0), ("learning_rate", float("nan")), ("decoder_only", True)],
)
def test_senseless_options_are_refused_by_name(store: Path, tmp_path: Path, name: str, value: object) -> None:
    with pytest.raises(RequestError, match=name):
        train_codec(options(store, **{name: value}), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_the_command_trains_resumes_and_exports(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    folder = tmp_path / "run"
    shape = json.dumps({"encoder_dim": 4, "encoder_rates": [8, 8], "decoder_dim": 32, "decoder_rates": [8, 8]})
    command = ["train", "--data", str(store), "--out", str(folder), "--codec", shape, "--steps", "2"]
    command += ["--batch-size", "2", "--crop-seconds", "0.2", "--validation-items", "2", "--device", "cpu"]
    assert run(command) == 0
    assert run(command) == 1  # a run is there
    assert "holds a run" in capsys.readouterr().err
    assert run(["train", "--out", str(folder), "--resume"]) == 0
    exported = tmp_path / "exported"
    assert run(["export", "--run", str(folder), "--out", str(exported), "--unit-latents", str(store)]) == 0
    vae, step = averaged_codec(folder)
    assert step == 2
    config = model_config(json.loads((exported / "audio_vae_config.json").read_text()))
    loaded = load_vae(config, read_tensors((exported / "audiovae.safetensors",)), device=torch.device("cpu"))
    deviation = latent_deviation(loaded, PcmStore(store))
    torch.testing.assert_close(deviation, torch.ones_like(deviation), rtol=1e-3, atol=1e-3)
    wave = torch.from_numpy(PcmStore(store).read(0))[None]
    torch.testing.assert_close(loaded.decode(loaded.encode(wave)), vae.decode(vae.encode(wave)), rtol=1e-3, atol=1e-5)


def test_exporting_before_the_first_checkpoint_says_so(store: Path, tmp_path: Path) -> None:
    RunFolder(tmp_path).write_choices({"options": options(store).to_dict()})
    with pytest.raises(CheckpointError, match="no complete checkpoint"):
        averaged_codec(tmp_path)


def test_options_survive_their_json_form(store: Path) -> None:
    chosen = options(store, weight_norm=True)
    assert CodecOptions.from_dict(json.loads(json.dumps(chosen.to_dict()))) == chosen


# Losses


def test_equal_sounds_have_no_loss_and_a_gain_is_its_logarithm() -> None:
    wave = 0.3 * torch.randn(2, 4000, generator=torch.Generator().manual_seed(0))
    settings = SpectralSettings(floor=1e-8)
    same = spectral_losses(wave, wave, 16_000, settings)
    assert max(float(value) for value in same.values()) < 1e-4
    double = spectral_losses(2 * wave, wave, 16_000, settings)
    assert double["mel"].item() == pytest.approx(np.log(2), rel=1e-3)
    assert double["magnitude"].item() == pytest.approx(1.0, rel=1e-3)


def test_losses_of_silence_have_finite_gradients() -> None:
    decoded = torch.zeros(1, 2000, requires_grad=True)
    losses = spectral_losses(decoded, torch.zeros(1, 2000), 16_000, SpectralSettings())
    sum(losses.values()).backward()  # type: ignore[union-attr]
    assert bool(torch.isfinite(decoded.grad).all())


@pytest.mark.parametrize(("window", "mels"), [(128, 20), (512, 64), (1024, 80), (64, 40)])
def test_every_mel_band_hears_something(window: int, mels: int) -> None:
    matrix = mel_matrix(16_000, window, mels)
    torch.testing.assert_close(matrix.sum(dim=0), torch.ones(mels))
    assert bool((matrix.argmax(dim=0).diff() >= 0).all())


def test_divergence_is_zero_for_a_standard_normal_distribution_only() -> None:
    zeros = torch.zeros(1, 3, 5)
    assert kl_divergence(zeros, zeros).item() == 0
    assert kl_divergence(zeros + 1, zeros).item() == pytest.approx(0.5)
    assert kl_divergence(zeros, zeros - 2).item() == pytest.approx(0.5 * (np.exp(-2) + 1), rel=1e-5)


# Data


def test_a_store_gives_back_what_was_put_in(tmp_path: Path) -> None:
    waves = [np.linspace(-1, 1, 50 + 10 * k, dtype=np.float32) for k in range(3)]
    with PcmWriter(tmp_path, 16_000) as writer:
        for wave in waves:
            writer.add(wave)
        writer.add((waves[0] * 32767).round().astype(np.int16))
    store = PcmStore(tmp_path)
    assert len(store) == 4
    for number, wave in enumerate((*waves, waves[0])):
        np.testing.assert_allclose(store.read(number), wave, atol=2e-5)
    np.testing.assert_allclose(store.read(2, 60, 100), waves[2][60:], atol=2e-5)


def test_a_store_that_was_not_finished_is_none(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), PcmWriter(tmp_path, 16_000) as writer:
        writer.add(np.zeros(10, dtype=np.float32))
        raise KeyboardInterrupt
    assert not (tmp_path / HEAD).exists()
    with pytest.raises(DatasetError, match="make it again"):
        PcmStore(tmp_path)


def test_a_store_that_is_cut_off_is_refused(store: Path) -> None:
    samples = store / "samples.i16"
    samples.write_bytes(samples.read_bytes()[:-2])
    with pytest.raises(DatasetError, match="cut off"):
        PcmStore(store)


def test_crops_depend_on_the_step_alone_and_leave_out_what_is_judged(store: Path) -> None:
    crops = Crops(PcmStore(store), TINY, options(store))
    assert all(torch.equal(a, b) for a, b in zip(crops.batch(3), crops.batch(3), strict=True))
    assert not torch.equal(crops.batch(3)[0], crops.batch(4)[0])
    judged = {round(float(wave[0, 1000]), 5) for wave, _ in crops.validation()}
    assert judged == {round(float(PcmStore(store).read(number)[1000]), 5) for number in (4, 5)}
    seen = torch.cat([crops.batch(step)[0] for step in range(40)])
    last = torch.from_numpy(PcmStore(store).read(5))
    windows = last.unfold(0, 200, 200)
    assert not any(bool((window == row[:200]).all()) for window in windows for row in seen)


def test_recordings_of_another_rate_than_the_codecs_are_refused(store: Path) -> None:
    wide = dataclasses.replace(TINY, sample_rate=24_000, out_sample_rate=24_000)
    with pytest.raises(DatasetError, match="16000 samples a second"):
        Crops(PcmStore(store), wide, options(store))


def test_a_manifest_is_made_into_a_store_once(tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", 4)
    train_codec(options(data, steps=1), tmp_path / "run")
    (made,) = (tmp_path / "run").glob("recordings-*")
    assert len(PcmStore(made)) == 4
    written = (made / HEAD).stat().st_mtime_ns
    train_codec(options(data, steps=1), tmp_path / "run", resume=True)
    assert (made / HEAD).stat().st_mtime_ns == written
