"""Rules for ``lora.safetensors``: whole requests and one stack with an adapter, and what is equal to the base model."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tests.parity.folder import Vectors
from tests.parity.generate import CaseRun
from tests.parity.report import NotCompared
from voxcpm.lora import CONFIG, LowRank, read_lora

FILE = "lora.safetensors"


def lora_folder(vectors: Vectors) -> Path:
    """The recorded adapter of this checkpoint: by name, else the one whose settings name this checkpoint."""
    loras = vectors.root / "lora"
    named = loras / f"{vectors.name}-lora"
    if named.is_dir():
        return named
    for file in sorted(loras.glob(f"*/{CONFIG}")):
        if json.loads(file.read_text(encoding="utf-8")).get("base_model") == vectors.checkpoint.name:
            return file.parent
    raise NotCompared("no recorded adapter for this checkpoint")


def check(vectors: Vectors) -> None:
    """Compare the whole file and the manifest's numbers."""
    tensors, recorded = vectors.tensors(FILE), vectors.manifest.get("lora")
    if not tensors or recorded is None:
        for key in vectors.entries(FILE):
            vectors.report.leave_out(f"{vectors.name}/{FILE}:{key}", "no file, or no part of the manifest for it")
        return
    where = f"{vectors.name}/manifest:lora"
    try:
        folder = lora_folder(vectors)
        check_loaded(vectors, folder, recorded, where)
        check_equal_to_base(vectors, folder, recorded, where)
        for way, strength in (("enabled", 1.0), ("disabled", 0.0)):
            vectors.engine.load_lora(folder, strength=strength)
            check_cases(vectors, tensors, way, recorded.get(way, {}))
    except NotCompared as reason:
        vectors.report.leave_out(where, str(reason))
    except Exception as error:
        vectors.report.settle(where, f"{type(error).__name__}: {error}")
    finally:
        vectors.engine.unload_lora()


@torch.inference_mode()
def check_cases(vectors: Vectors, tensors: dict[str, torch.Tensor], way: str, cases: dict[str, Any]) -> None:
    """All requests with the adapter as it now stands."""
    entries = vectors.entries(FILE)
    runs = {f"{way}.{name}": CaseRun(vectors, f"{way}.{name}", case, tensors) for name, case in cases.items()}
    for key in sorted(set(tensors) | set(entries)):
        name, _, part = key.rpartition(".")
        if name in runs:
            vectors.one(FILE, key, tensors, entries, [(r".*", runs[name].rule(part))])
        elif key == "base_lm.causal" and way == "enabled":
            engine = vectors.engine
            with engine._adapters.using(engine._adapters.current):
                made = engine.model.base_lm(vectors.tensors("modules.safetensors")["lm.inputs_embeds"], causal=True)
            vectors.one(FILE, key, tensors, entries, [(r".*", lambda _, made=made: made)])
        elif way == "enabled" and not name.startswith("disabled."):
            vectors.report.leave_out(f"{vectors.name}/{FILE}:{key}", "no case of this name in the manifest")
    for name, run in runs.items():
        if f"{name}.noise" in tensors:
            run.check_scalars()


def check_loaded(vectors: Vectors, folder: Path, recorded: dict[str, Any], where: str) -> None:
    """What loading says."""
    report, weights = vectors.report, read_lora(folder)
    info = vectors.engine.load_lora(folder)
    if "lora_config" in recorded:
        ours = weights.config.to_dict()
        report.equal(f"{where}.lora_config", {k: ours.get(k) for k in recorded["lora_config"]}, recorded["lora_config"])
    for key, got in (
        ("scaling", weights.config.scaling),
        ("loaded_keys", 2 * info.layers),
        ("skipped_keys", list(info.skipped)),
    ):
        if key in recorded:
            report.equal(f"{where}.{key}", got, recorded[key])


def check_equal_to_base(vectors: Vectors, folder: Path, recorded: dict[str, Any], where: str) -> None:
    """A fresh adapter and one that is switched off change no bit of the output."""
    engine = vectors.engine
    case = next(iter(recorded.get("disabled") or recorded.get("enabled") or {}), None)
    if case is None:
        return
    settings = {**(recorded.get("disabled") or recorded["enabled"])[case]}
    request = replace(CaseRun(vectors, case, settings, {}).request, noise=None)
    engine.unload_lora()
    base = engine.generate(request)
    weights = read_lora(folder)
    fresh = {layer: LowRank(pair.a, torch.zeros_like(pair.b)) for layer, pair in weights.layers.items()}
    made = {}
    engine._adapters.current = engine._adapters.prepare(replace(weights, layers=fresh), 1.0, None)
    made["fresh_equals_base"] = engine.generate(request).samples
    engine.load_lora(folder, strength=0.0)
    made["disabled_equals_base"] = engine.generate(request).samples
    for key, samples in made.items():
        if key in recorded:
            vectors.report.equal(f"{where}.{key}", bool(np.array_equal(samples, base.samples)), recorded[key])
    key = "enabled_vs_base_max_abs_diff"
    if key in recorded:
        engine.load_lora(folder)
        adapted = engine.generate(request).latents
        rows = min(len(base.latents), len(adapted))
        far = np.abs(base.latents[:rows] - adapted[:rows]).max()
        vectors.report.check(
            f"{where}.{key}", torch.tensor(far), torch.tensor(recorded[key]), {"rtol": 1e-3, "atol": 5e-4}
        )
