"""Reads a folder laid out like the parity data: checkpoints, audio, vectors with manifests, tokenization.json."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from safetensors.torch import load_file
from torch import Tensor

from tests.parity.report import NotCompared, Report
from voxcpm.pipeline import VoxCPM

Rule = Callable[[re.Match[str]], Tensor | None]
"""Makes the tensor of a key, None for an input; raises NotCompared with the reason."""


@dataclass
class Vectors:
    """The vectors of one checkpoint."""

    root: Path
    name: str
    report: Report
    plain: bool

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """``vectors/NAME/manifest.json``."""
        return json.loads((self.root / "vectors" / self.name / "manifest.json").read_text(encoding="utf-8"))

    @cached_property
    def checkpoint(self) -> Path:
        """The model folder that the manifest names."""
        return self.root / self.manifest.get("checkpoint", f"checkpoints/{self.name}")

    @cached_property
    def engine(self) -> VoxCPM:
        """The model in float32."""
        return VoxCPM.load(self.checkpoint, device="cpu", dtype="float32", plain=self.plain)

    def tensors(self, file: str) -> dict[str, Tensor]:
        """All tensors of one vectors file; empty if it is not there."""
        path = self.root / "vectors" / self.name / file
        return load_file(path) if path.is_file() else {}

    def entries(self, file: str) -> dict[str, dict[str, Any]]:
        """The manifest's entries of one file."""
        return self.manifest.get("files", {}).get(file, {})

    def audio(self, name: str) -> Path:
        """``audio/NAME_RATE.wav`` at the codec's rate."""
        return self.root / "audio" / f"{name}_{self.engine.info.encode_rate}.wav"

    def run(self, file: str, tensors: dict[str, Tensor], rules: list[tuple[str, Rule]]) -> None:
        """Apply the first matching rule to every key of a file."""
        entries = self.entries(file)
        for key in sorted(set(tensors) | set(entries)):
            self.one(file, key, tensors, entries, rules)

    def one(
        self,
        file: str,
        key: str,
        tensors: dict[str, Tensor],
        entries: dict[str, dict[str, Any]],
        rules: list[tuple[str, Rule]],
    ) -> None:
        """Compare one key."""
        name = f"{self.name}/{file}:{key}"
        if key not in tensors or key not in entries:
            self.report.settle(name, "in the manifest but not in the file, or the other way round")
            return
        for pattern, rule in rules:
            match = re.fullmatch(pattern, key)
            if match is None:
                continue
            try:
                self.report.check(name, rule(match), tensors[key], entries[key])
            except NotCompared as reason:
                self.report.leave_out(name, str(reason))
            except Exception as error:
                self.report.settle(name, f"{type(error).__name__}: {error}")
            return
        self.report.leave_out(name, "no rule knows this key")


def find(root: Path, report: Report, *, plain: bool) -> Iterator[Vectors]:
    """The vectors of every checkpoint in the folder."""
    for manifest in sorted((root / "vectors").glob("*/manifest.json")):
        yield Vectors(root, manifest.parent.name, report, plain)
