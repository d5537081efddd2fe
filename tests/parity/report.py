"""Collects the outcome of every recorded tensor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor


class NotCompared(Exception):  # noqa: N818 (an answer, not an error)
    """Raised by a rule to say why a key is left out."""


@dataclass
class Report:
    """Passed and failed keys, and the reasons for those left out. Names are ``checkpoint/file:key``."""

    passed: list[str] = field(default_factory=list)
    failures: list[dict[str, str]] = field(default_factory=list)
    left_out: list[dict[str, str]] = field(default_factory=list)

    def check(self, name: str, got: Tensor | None, wanted: Tensor, entry: dict[str, Any]) -> None:
        """Compare one tensor at its recorded tolerance; None means that it is an input whose form alone is checked."""
        problem = form(wanted, entry) if got is None else difference(got, wanted, entry)
        self.settle(name, problem)

    def equal(self, name: str, got: object, wanted: object) -> None:
        """Compare a recorded scalar or list exactly."""
        self.settle(name, None if got == wanted else f"got {got!r}, recorded {wanted!r}")

    def settle(self, name: str, problem: str | None) -> None:
        """Note the outcome of one key."""
        if problem is None:
            self.passed.append(name)
        else:
            self.failures.append({"key": name, "problem": problem})

    def leave_out(self, name: str, reason: str) -> None:
        """Note why a key is not compared."""
        self.left_out.append({"key": name, "reason": reason})

    def summary(self) -> dict[str, Any]:
        """The closing JSON object."""
        return {
            "passed": len(self.passed),
            "failed": len(self.failures),
            "failures": self.failures,
            "not_compared": self.left_out,
        }


def form(wanted: Tensor, entry: dict[str, Any]) -> str | None:
    """Whether an input has the recorded shape and only finite values."""
    if list(wanted.shape) != list(entry.get("shape", wanted.shape)):
        return f"input has shape {list(wanted.shape)}, recorded {entry['shape']}"
    if wanted.is_floating_point() and not bool(torch.isfinite(wanted).all()):
        return "input is not finite"
    return None


def difference(got: Tensor, wanted: Tensor, entry: dict[str, Any]) -> str | None:
    """None if within tolerance, else what is wrong."""
    if list(got.shape) != list(wanted.shape):
        return f"shape {list(got.shape)}, recorded {list(wanted.shape)}"
    got, wanted = got.detach().to(torch.float64), wanted.to(torch.float64)
    error = (got - wanted).abs()
    exact = entry.get("tolerance") == "exact"
    allowed = torch.zeros_like(wanted) if exact else entry.get("atol", 0.0) + entry.get("rtol", 0.0) * wanted.abs()
    if bool((error <= allowed).all()):
        return None
    worst = int((error - allowed).nan_to_num(float("inf")).argmax())
    return (
        f"off by {float(error.flatten()[worst]):.3g} where {float(allowed.flatten()[worst]):.3g} is allowed "
        f"({int((~(error <= allowed)).sum())} of {error.numel()} values)"
    )
