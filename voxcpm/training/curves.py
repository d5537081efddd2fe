"""A run's log as curves for TensorBoard, beside the JSON lines that every plot can read. An extra: ``tensorboard``."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voxcpm.errors import RequestError

FOLDER = "tensorboard"
_NO_CURVES = ("step", "of", "epoch")


def check_tensorboard() -> None:
    """Raise :class:`RequestError` where the package is missing, before any work."""
    if importlib.util.find_spec("tensorboard") is None:
        raise RequestError("tensorboard", "is not installed; install it with: pip install 'voxcpm-studio[tensorboard]'")


class Curves:
    """Writes the numbers of steps and validations; a run that goes on after ``start`` replaces what came later."""

    def __init__(self, run: Path, start: int) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._writer: Any = SummaryWriter(str(run / FOLDER), purge_step=start + 1)

    def add(self, event: Mapping[str, Any]) -> None:
        """One event of the log; those without numbers or a step are passed over."""
        if event["event"] not in ("step", "validation"):
            return
        for key, value in event.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool) and key not in _NO_CURVES:
                self._writer.add_scalar(f"{event['event']}/{key}", value, event["step"])

    def close(self) -> None:
        """Write what is still held back."""
        self._writer.close()
