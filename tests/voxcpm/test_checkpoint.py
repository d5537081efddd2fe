"""Loading: file forms, strictness, hostile files, dtypes, memory."""

from __future__ import annotations

import json
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.voxcpm.conftest import TINY, checkpoint, load
from voxcpm.checkpoint import CheckpointFiles, read_tensors
from voxcpm.config import VoxCPMConfig
from voxcpm.errors import CheckpointError, ConfigError, RequestError
from voxcpm.pins import ALLOW_UNKNOWN
from voxcpm.pipeline import VoxCPM
from voxcpm.request import Request


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A writable copy of a tiny checkpoint. Changed pickles are read: how they are refused is for ``test_pins``."""
    monkeypatch.setenv(ALLOW_UNKNOWN, "1")
    return Path(shutil.copytree(checkpoint("tiny-v2"), tmp_path / "tiny-v2", copy_function=shutil.copyfile))


def samples(folder: Path, **options: Any) -> np.ndarray:
    engine = VoxCPM.load(folder, device="cpu", **options)
    return engine.generate(Request("Hello", seed=1, steps=3, max_patches=3, retries=1)).samples


def test_all_published_file_forms_give_the_same(folder: Path) -> None:
    wanted = samples(folder)
    weights = load_file(folder / "model.safetensors")
    codec = {name: t.clone() for name, t in read_tensors((folder / "audiovae.pth",))}

    # Shards with an index.
    (folder / "model.safetensors").unlink()
    names = sorted(weights)
    shards = {"model-00001-of-00002.safetensors": names[::2], "model-00002-of-00002.safetensors": names[1::2]}
    for shard, part in shards.items():
        save_file({name: weights[name] for name in part}, folder / shard)
    index = {"metadata": {}, "weight_map": {name: shard for shard, part in shards.items() for name in part}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    assert np.array_equal(samples(folder), wanted)

    # A pickle of tensors, and the codec without its wrapper, in both zip and the older pickle form.
    for shard in shards:
        (folder / shard).unlink()
    (folder / "model.safetensors.index.json").unlink()
    for zipped in (True, False):
        torch.save(weights, folder / "pytorch_model.bin", _use_new_zipfile_serialization=zipped)
        torch.save(codec, folder / "audiovae.pth", _use_new_zipfile_serialization=zipped)
        assert np.array_equal(samples(folder), wanted)

    # The codec as safetensors, with torch's newer names for weight norm.
    (folder / "audiovae.pth").unlink()
    norm = ".parametrizations.weight.original"
    newer = {name.replace(".weight_g", f"{norm}0").replace(".weight_v", f"{norm}1"): t for name, t in codec.items()}
    save_file(newer, folder / "audiovae.safetensors")
    assert np.array_equal(samples(folder), wanted)


def test_rotary_tables_in_a_file_are_passed_over(folder: Path) -> None:
    wanted = samples(folder)
    weights = load_file(folder / "model.safetensors")
    weights["base_lm.rope_emb.inv_freq"] = torch.zeros(8)
    save_file(weights, folder / "model.safetensors")
    assert np.array_equal(samples(folder), wanted)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda w: w.pop("stop_head.weight"), "missing: stop_head.weight"),
        (lambda w: w.update({"lm_head.weight": torch.zeros(2)}), "foreign: lm_head.weight"),
        (lambda w: w.update({"stop_head.weight": torch.zeros(2, 3)}), r"wrong shape: stop_head.weight is \[2, 3\]"),
    ],
)
def test_tensors_that_do_not_fit_are_named(folder: Path, change: Any, words: str) -> None:
    weights = load_file(folder / "model.safetensors")
    change(weights)
    save_file(weights, folder / "model.safetensors")
    with pytest.raises(CheckpointError, match=words):
        VoxCPM.load(folder)


def test_missing_and_damaged_files_are_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="not a folder"):
        VoxCPM.load(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CheckpointError, match=r"config.json.*model.safetensors.*audiovae"):
        VoxCPM.load(tmp_path / "empty")
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(CheckpointError, match=r"model.safetensors cannot be read"):
        VoxCPM.load(folder)
    (folder / "model.safetensors").write_bytes(whole)
    codec = (folder / "audiovae.pth").read_bytes()
    (folder / "audiovae.pth").write_bytes(codec[:1000])
    with pytest.raises(CheckpointError, match=r"audiovae.pth"):
        VoxCPM.load(folder)
    (folder / "tokenizer.json").write_text("{")
    with pytest.raises(CheckpointError, match="tokenizer"):
        VoxCPM.load(folder)


def test_half_of_a_weight_norm_pair_is_refused(folder: Path) -> None:
    codec = {name: t.clone() for name, t in read_tensors((folder / "audiovae.pth",))}
    codec.pop("decoder.model.0.weight_g")
    torch.save(codec, folder / "audiovae.pth")
    with pytest.raises(CheckpointError, match=r"pair only: decoder.model.0"):
        VoxCPM.load(folder)


class Hostile:
    """Unpickling this would run a command."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path("hostile-was-here"),))


@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
@pytest.mark.parametrize("name", ["audiovae.pth", "pytorch_model.bin"])
def test_hostile_pickles_run_nothing(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    if name == "pytorch_model.bin":
        (folder / "model.safetensors").unlink()
    for write in (lambda: torch.save({"state_dict": Hostile()}, folder / name),
                  lambda: (folder / name).write_bytes(pickle.dumps(Hostile()))):  # fmt: skip
        write()
        with pytest.raises(CheckpointError):
            VoxCPM.load(folder)
    assert not (tmp_path / "hostile-was-here").exists()


@pytest.mark.parametrize("shard", ["../model.safetensors", "/etc/passwd", 3])
def test_an_index_cannot_point_outside(folder: Path, shard: object) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a": shard}}))
    with pytest.raises(CheckpointError, match="index"):
        VoxCPM.load(folder)


def test_a_loaded_model_survives_its_files(folder: Path) -> None:
    """A mapped file that is overwritten in place would end the process with a bus error."""
    engines = [VoxCPM.load(folder, device="cpu", plain=plain) for plain in (False, True)]
    request = Request("Hello", seed=1, steps=3, max_patches=3, retries=1)
    before = [engine.generate(request).samples for engine in engines]
    for file in ("model.safetensors", "audiovae.pth"):
        (folder / file).write_bytes(b"")
    for engine, wanted in zip(engines, before, strict=True):
        assert np.array_equal(engine.generate(request).samples, wanted)


def test_loading_does_not_import_a_compiler(folder: Path) -> None:
    """Drawing first weights for a model on the meta device would: a second, and 100 MB, at every start."""
    code = (
        "import sys; from voxcpm import Request, VoxCPM\n"
        f"VoxCPM.load({str(folder)!r}, device='cpu').generate(Request('Yes.', max_patches=2, steps=2))\n"
        "print(sorted({'torch._dynamo', 'torch._inductor', 'sympy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_progress_ends_at_the_whole() -> None:
    seen: list[tuple[int, int]] = []
    VoxCPM.load(checkpoint("tiny-v1"), device="cpu", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1] and [s[0] for s in seen] == sorted(s[0] for s in seen)


def test_the_fingerprint_follows_the_content(folder: Path) -> None:
    first = CheckpointFiles.locate(folder).fingerprint()
    assert first == CheckpointFiles.locate(checkpoint("tiny-v2")).fingerprint()
    weights = load_file(folder / "model.safetensors")
    weights["stop_head.weight"][0, 0] += 1
    save_file(weights, folder / "model.safetensors")
    assert CheckpointFiles.locate(folder).fingerprint() != first


def test_device_and_dtype_are_load_arguments(folder: Path) -> None:
    assert load("tiny-v1").info.dtype == "float32"
    engine = VoxCPM.load(folder, device="cpu", dtype="bf16")
    assert engine.info.dtype == "bfloat16" and engine.vae.decoder.model[0].weight.dtype == torch.float32
    for field, value in (("dtype", "int3"), ("dtype", "float16"), ("device", "abacus")):
        with pytest.raises(RequestError) as refusal:
            VoxCPM.load(folder, **{"device": "cpu", field: value})
        assert refusal.value.field == field
    if not torch.cuda.is_available():
        with pytest.raises(RequestError, match="CUDA"):
            VoxCPM.load(folder, device="cuda")


def test_automatic_dtype_loses_nothing_unasked(folder: Path) -> None:
    assert VoxCPM.load(folder, device="cpu").info.dtype == "float32"
    weights = {name: t.bfloat16() for name, t in load_file(folder / "model.safetensors").items()}
    save_file(weights, folder / "model.safetensors")
    from voxcpm.devices import multiplies_bf16, needs_half_weights

    cpu = torch.device("cpu")
    wanted = "bfloat16" if multiplies_bf16(cpu) or needs_half_weights(cpu) else "float32"
    assert VoxCPM.load(folder, device="cpu").info.dtype == wanted


# -- config ---------------------------------------------------------------------------------------------------


def raw(name: str = "tiny-v2") -> dict[str, Any]:
    return json.loads((checkpoint(name) / "config.json").read_text())


@pytest.mark.parametrize("name", TINY)
def test_the_switches_of_the_generations(name: str) -> None:
    config = VoxCPMConfig.from_dict(raw(name))
    second = name == "tiny-v2"
    assert config.fuse_residual_input == config.separate_dit_conditions == config.takes_reference == second
    assert config.audio_vae_config.trim_odd_strides == second
    assert config.context_patches == (3 if second else 2) and config.unknown_keys == ()
    assert config.residual_lm_config.no_rope == second
    assert config.patch_seconds == pytest.approx(config.patch_size / 25)


def test_unknown_keys_are_named_and_strictness_refuses_them(caplog: pytest.LogCaptureFixture, folder: Path) -> None:
    values = raw()
    values["new_switch"], values["dit_config"]["other"] = 1, 2
    config = VoxCPMConfig.from_dict(values)
    assert set(config.unknown_keys) == {"new_switch", "dit_config.other"}
    assert "new_switch" in caplog.text
    with pytest.raises(ConfigError, match="new_switch"):
        VoxCPMConfig.from_dict(values, strict=True)
    (folder / "config.json").write_text(json.dumps(values))
    assert set(VoxCPM.load(folder, device="cpu").info.unknown_keys) == set(config.unknown_keys)
    with pytest.raises(ConfigError):
        VoxCPM.load(folder, device="cpu", strict=True)


def _without(values: dict[str, Any], path: str) -> None:
    *where, key = path.split(".")
    for part in where:
        values = values[part]
    del values[key]


MISSING = ("patch_size", "max_length", "lm_config", "lm_config.hidden_size", "lm_config.rope_scaling",
           "lm_config.rope_scaling.short_factor", "dit_config.num_layers", "encoder_config")  # fmt: skip


@pytest.mark.parametrize("path", MISSING)
def test_missing_keys_are_named(path: str) -> None:
    values = raw()
    _without(values, path)
    with pytest.raises(ConfigError, match=path.rpartition(".")[2]):
        VoxCPMConfig.from_dict(values)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: c.update(architecture="voxcpm3"), "architecture"),
        (lambda c: c.update(patch_size="4"), "patch_size must be int"),
        (lambda c: c.update(patch_size=0), "positive"),
        (lambda c: c.update(feat_dim=8), "latent_dim"),
        (lambda c: c["lm_config"].update(num_attention_heads=3), "heads"),
        (lambda c: c["lm_config"].update(use_mup=1), "use_mup"),
        (lambda c: c["lm_config"]["rope_scaling"].update(short_factor=[1.0]), "short_factor"),
        (lambda c: c["audio_vae_config"].update(use_noise_block=True), "noise_block"),
        (lambda c: c["audio_vae_config"].update(out_sample_rate=44100), "duration"),
    ],
)
def test_contradictions_are_refused(change: Any, words: str) -> None:
    values = raw()
    change(values)
    with pytest.raises(ConfigError, match=words):
        VoxCPMConfig.from_dict(values)


def test_the_ignored_mean_mode_key_is_no_unknown_one() -> None:
    values = raw()
    values["dit_config"]["mean_mode"] = True
    config = VoxCPMConfig.from_dict(values)
    assert not config.dit_config.dit_mean_mode and not config.unknown_keys
    values["dit_config"]["dit_mean_mode"] = True
    assert VoxCPMConfig.from_dict(values).dit_config.dit_mean_mode
    older = raw("tiny-v1")
    older["dit_mean_mode"] = True
    assert VoxCPMConfig.from_dict(older).dit_config.dit_mean_mode


def test_a_config_file_that_is_none(tmp_path: Path) -> None:
    for content in ("", "[1]", "{"):
        (tmp_path / "config.json").write_text(content)
        with pytest.raises(ConfigError, match=r"config.json"):
            VoxCPMConfig.from_file(tmp_path)
