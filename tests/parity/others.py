"""The smaller parts: bf16 runs, token ids, silence trimming."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import torch
from torch import Tensor

from tests.parity.folder import Vectors
from tests.parity.generate import CaseRun
from tests.parity.report import Report
from voxcpm import audio
from voxcpm.modules.rope import rope_tables
from voxcpm.pipeline import VoxCPM
from voxcpm.text import TextTokenizer

BF16 = "bf16.safetensors"


@torch.inference_mode()
def check_bf16(vectors: Vectors) -> None:
    """The first steps of a case in bfloat16, loosely, and the rounded rotary tables exactly."""
    tensors = vectors.tensors(BF16)
    if not tensors:
        return
    engine = VoxCPM.load(vectors.checkpoint, device="cpu", dtype="bfloat16", plain=vectors.plain)
    half = Vectors(vectors.root, vectors.name, vectors.report, vectors.plain)
    half.__dict__["engine"] = engine
    entries = vectors.entries(BF16)
    for case in sorted({key.rpartition(".")[0] for key in tensors} - {"rope"}):
        base = case.rstrip("0123456789")
        steps = len(tensors[f"{case}.noise"])
        recorded = {**vectors.manifest["generate_cases"][base], "max_len": steps, "min_len": steps}
        run = CaseRun(half, case, recorded, tensors)
        for key in sorted(k for k in tensors if k.startswith(f"{case}.")):
            part = key.rpartition(".")[2]
            # The noise of a seed in bfloat16 is the float32 noise rounded.
            rule = partial(_rounded_noise, run, steps) if part == "noise" else run.rule(part)
            vectors.one(BF16, key, tensors, entries, [(r".*", rule)])
    for part, table in zip(
        ("cos", "sin"), rope_tables(engine.config.lm_config, torch.arange(1024), torch.bfloat16), strict=True
    ):
        key = f"rope.{part}"
        if key in tensors:
            vectors.one(BF16, key, tensors, entries, [(r".*", lambda _, t=table, k=key: t[: len(tensors[k])].float())])


def _rounded_noise(run: CaseRun, steps: int, _match: object) -> Tensor:
    return run.seeded_noise(steps).bfloat16().float()


def check_tokens(root: Path, report: Report) -> None:
    """Every recorded text through every checkpoint's tokenizer (they are the same files)."""
    file = root / "tokenization.json"
    if not file.is_file():
        return
    cases = json.loads(file.read_text(encoding="utf-8"))["cases"]
    for folder in sorted(path.parent for path in (root / "checkpoints").glob("*/tokenizer.json")):
        tokenizer = TextTokenizer.from_dir(folder)
        for index, case in enumerate(cases):
            report.equal(f"{folder.name}/tokenization:{index}", tokenizer.encode(case["text"]), case["ids"])


def check_trimming(vectors: Vectors) -> None:
    """The recorded length after silence trimming."""
    case = vectors.manifest.get("vad_trim")
    if not case:
        return
    recording = audio.read_audio(vectors.root / case["file"])
    name = f"{vectors.name}/manifest:vad_trim"
    vectors.report.equal(f"{name}.in_samples", len(recording.samples), case["in_samples"])
    trimmed = audio.trim_silence(recording.samples, recording.sample_rate)
    vectors.report.equal(f"{name}.out_samples", len(trimmed), case["out_samples"])
