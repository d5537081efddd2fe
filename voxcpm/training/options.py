"""Everything that can be chosen about a training run, checked before any work. Loads no torch."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from voxcpm.errors import RequestError

MODES = ("lora", "full")
LEARNING_RATES = {"lora": 1e-4, "full": 1e-5}
PRECISIONS = ("auto", "float32", "bfloat16")
_POSITIVE = (
    "steps",
    "batch_size",
    "batch_tokens",
    "max_tokens",
    "accumulate",
    "rank",
    "save_every",
    "keep",
    "validate_every",
)
_NOT_NEGATIVE = ("warmup_steps", "patience", "threads")


@dataclass(frozen=True)
class TrainOptions:
    """One run. Paths are as given; everything else has the published defaults."""

    model: str
    data: str
    validation: str = ""
    cache: str = ""
    """Folder of kept latents; ``.latents`` beside the manifest if empty."""
    mode: str = "lora"
    learning_rate: float = 0.0
    """0 takes the mode's default: 1e-4 for LoRA, 1e-5 for the whole model."""
    steps: int = 1000
    warmup_steps: int = 50
    final_rate: float = 0.1
    """Share of the learning rate that is left at the end of the cosine."""
    weight_decay: float = 0.01
    beta2: float = 0.999
    """How long AdamW remembers the size of gradients; less (0.98) suits training from first weights."""
    clip: float = 1.0
    """Longest gradient; 0 leaves it as it is."""
    batch_size: int = 16
    """Most sentences in a batch."""
    batch_tokens: int = 4096
    """Most positions in a batch, padding included."""
    max_tokens: int = 2048
    """Longest sentence in positions (text, audio patches and control ids); longer ones are left out."""
    accumulate: int = 1
    """Batches per step and process."""
    stop_weight: float = 1.0
    """Weight of the stop loss beside the flow loss."""
    seed: int = 0
    device: str = "auto"
    precision: str = "auto"
    """bfloat16 runs under autocast; auto takes it where the hardware multiplies it."""
    recompute: bool = False
    """Compute layers again in the backward pass instead of keeping their insides: a third more work, little memory."""
    threads: int = 0
    rank: int = 32
    alpha: float = 32.0
    dropout: float = 0.0
    adapt_lm: bool = True
    adapt_dit: bool = True
    adapt_projections: bool = False
    save_every: int = 200
    keep: int = 2
    """Checkpoints kept; the best by validation is kept besides."""
    validate_every: int = 200
    patience: int = 0
    """Validations without a better result after which training ends; 0 never."""
    tensorboard: bool = False
    """Write curves for TensorBoard besides."""
    samples: tuple[str, ...] = ()
    """Texts that are spoken at every validation."""

    @property
    def rate(self) -> float:
        """The learning rate in force."""
        return self.learning_rate or LEARNING_RATES[self.mode]

    def check(self) -> None:
        """Raise :class:`RequestError` naming the first field that makes no sense."""
        for name, allowed in (("mode", MODES), ("precision", PRECISIONS)):
            if getattr(self, name) not in allowed:
                raise RequestError(name, f"must be one of {', '.join(allowed)}, is {getattr(self, name)!r}")
        for names, low in ((_POSITIVE, 1), (_NOT_NEGATIVE, 0)):
            for name in names:
                value = getattr(self, name)
                if isinstance(value, bool) or not isinstance(value, int) or value < low:
                    raise RequestError(name, f"must be a whole number from {low} on, is {value!r}")
        for name, high in (
            ("learning_rate", 1.0),
            ("final_rate", 1.0),
            ("weight_decay", 10.0),
            ("beta2", 0.999999),
            ("clip", 1e6),
            ("stop_weight", 1e3),
            ("alpha", 1e4),
            ("dropout", 0.99),
        ):
            value = getattr(self, name)
            good = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
            if not good or not 0 <= value <= high:
                raise RequestError(name, f"must be a number from 0 to {high:g}, is {value!r}")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or not 0 <= self.seed < 2**32:
            raise RequestError("seed", f"must be a whole number from 0 to {2**32 - 1}, is {self.seed!r}")
        if self.mode == "lora" and not (self.adapt_lm or self.adapt_dit or self.adapt_projections):
            raise RequestError("adapt_lm", "nothing is adapted; adapt the language models, LocDiT or the projections")
        if self.patience and not self.validation:
            raise RequestError("patience", "needs a validation manifest to judge by")

    def learning_rate_at(self, step: int) -> float:
        """Rate of step 1, 2, ...: a straight warm-up, then a cosine down to ``final_rate`` of it at the last step."""
        if step <= self.warmup_steps:
            return self.rate * step / self.warmup_steps
        span = max(1, self.steps - self.warmup_steps)
        along = min(1.0, (step - self.warmup_steps) / span)
        return self.rate * (self.final_rate + (1 - self.final_rate) * (1 + math.cos(math.pi * along)) / 2)

    def to_dict(self) -> dict[str, Any]:
        """A JSON form."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in dataclasses.asdict(self).items()}

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> Self:
        """Back from :meth:`to_dict`; :class:`RequestError` for keys that are not known."""
        known = {field.name for field in dataclasses.fields(cls)}
        foreign = sorted(set(raw) - known)
        if foreign:
            raise RequestError("options", f"of another version of this program: {', '.join(foreign)} is not known")
        values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in raw.items()}
        return cls(**values)
