"""What is asked of the model, checked before any work. Loads no torch."""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from voxcpm.errors import RequestError
from voxcpm.text import check_speakable, fold_text

if TYPE_CHECKING:
    from voxcpm.config import VoxCPMConfig
    from voxcpm.noise import NoiseSource
    from voxcpm.voice import Voice

MODES = ("design", "reference", "continuation", "combined")
SEED_LIMIT = 2**32
"""Seeds are 0 .. 2**32 - 1: torch's CPU generator reads 32 bits, so larger ones would repeat smaller ones."""
STEP_LIMIT = 500
TEMPERATURE_LIMIT = 2.0
CFG_LIMIT = 20.0

# Odd, and about 2**32 / golden ratio: multiples spread evenly and do not meet for four thousand million attempts.
_SPREAD = 0x9E3779B1
_RETRY_SPREAD = 0x85EBCA6B


def retry_seed(seed: int, attempt: int) -> int:
    """Seed of attempt 0, 1, ... of a take: far from its own and from neighbouring takes' seeds."""
    return (seed + attempt * _RETRY_SPREAD) % SEED_LIMIT


def spread_seeds(first: int, count: int) -> tuple[int, ...]:
    """Seeds for ``count`` takes, far apart, the first as given."""
    check_seed(first)
    return tuple((first + index * _SPREAD) % SEED_LIMIT for index in range(count))


def draw_seed() -> int:
    """A fresh seed from the system, leaving every library's random state alone."""
    return secrets.randbelow(SEED_LIMIT)


@dataclass(frozen=True)
class Request:
    """One take to be made. Defaults are those of the published models' own interface.

    ``voice`` (from :meth:`VoxCPM.encode_voice`) decides the mode; without it the mode is design, where an empty
    ``description`` means plain speech.
    """

    text: str
    description: str = ""
    voice: Voice | None = None
    seed: int | None = None
    steps: int = 10
    cfg: float | None = None
    """Guidance, 0 to 20; None is the model's own (2 in all published ones)."""
    temperature: float | None = None
    """Standard deviation of the starting noise, 0 to 2; None is the model's own (1 in all published ones)."""
    min_patches: int = 2
    """The stop head is heard only after this patch index, so at least ``min_patches + 2`` patches come out."""
    max_patches: int = 4096
    retries: int = 3
    """Most attempts in all when a take comes out far too long; 0 and 1 mean one attempt. Streams make one."""
    retry_ratio: float = 6.0
    """Patches per target token from which a take counts as a bad case; also caps its length."""
    normalize: bool = False
    noise: NoiseSource | None = field(default=None, compare=False)

    @property
    def mode(self) -> str:
        """One of :data:`MODES`."""
        return self.voice.mode if self.voice is not None else "design"

    def resolved(self, config: VoxCPMConfig) -> Request:
        """The same with the model's own values where none were asked for."""
        own = config.dit_config.cfm_config
        return replace(
            self,
            cfg=own.inference_cfg_rate if self.cfg is None else self.cfg,
            temperature=own.inference_temperature if self.temperature is None else self.temperature,
        )

    def seeded(self) -> Request:
        """The same with a seed, drawn if there is none."""
        return self if self.seed is not None else replace(self, seed=draw_seed())


def check_seed(seed: object) -> None:
    """Raise :class:`RequestError` unless ``seed`` is an integer of the allowed range."""
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise RequestError("seed", f"must be a whole number from 0 to {SEED_LIMIT - 1}, got {seed!r}")
    if not 0 <= seed < SEED_LIMIT:
        raise RequestError("seed", f"must be from 0 to {SEED_LIMIT - 1}, got {seed} (larger ones would repeat)")


def _check_whole(name: str, value: object, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise RequestError(name, f"must be a whole number from {low} to {high}, got {value!r}")


def _check_number(name: str, value: Any, low: float, high: float) -> None:
    good = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not good or not math.isfinite(value) or not low <= value <= high:
        raise RequestError(name, f"must be a number from {low:g} to {high:g}, got {value!r}")


def check_request(request: Request, config: VoxCPMConfig, fingerprint: str | None = None) -> None:
    """Raise :class:`RequestError` naming the field and the remedy if the model cannot take the request.

    ``fingerprint`` is the loaded model's; a voice encoded by another one is refused.
    """
    check_speakable(request.text, "text")
    if request.seed is not None:
        check_seed(request.seed)
    _check_whole("steps", request.steps, 1, STEP_LIMIT)
    if request.cfg is not None:
        _check_number("cfg", request.cfg, 0.0, CFG_LIMIT)
    if request.temperature is not None:
        _check_number("temperature", request.temperature, 0.0, TEMPERATURE_LIMIT)
    _check_whole("min_patches", request.min_patches, 0, 1_000_000)
    _check_whole("max_patches", request.max_patches, 1, 1_000_000)
    _check_whole("retries", request.retries, 0, 100)
    _check_number("retry_ratio", request.retry_ratio, 0.01, 1_000_000.0)
    if not isinstance(request.normalize, bool):
        raise RequestError("normalize", f"must be True or False, got {request.normalize!r}")
    check_description(request, config)
    voice = request.voice
    if voice is None:
        return
    if fingerprint is not None and voice.fingerprint != fingerprint:
        raise RequestError("voice", "was encoded by another model; encode its audio again with the loaded one")
    if voice.reference is not None and not config.takes_reference:
        raise RequestError(
            "reference",
            f"{generation(config)} does not take a reference; continue a prompt with its "
            "transcript instead, or load VoxCPM2",
        )


def check_description(request: Request, config: VoxCPMConfig) -> None:
    """The hard borders of a voice description."""
    description = request.description
    if not isinstance(description, str):
        raise RequestError("description", f"must be text, got {type(description).__name__}")
    if not description.strip():
        return
    if not config.takes_reference:
        raise RequestError(
            "description",
            f"{generation(config)} does not take a voice description and would read it "
            "aloud; leave it empty, or load VoxCPM2",
        )
    if request.mode in ("continuation", "combined"):
        raise RequestError(
            "description",
            "a continuation goes on in the prompt's manner and takes no description; "
            "leave it empty, or use a reference instead of a prompt",
        )
    if set(description) & set("()（）"):
        raise RequestError("description", "must not contain brackets: the model would take them for its end")
    check_speakable(description, "description")


def generation(config: VoxCPMConfig) -> str:
    """The model generation in words."""
    return "VoxCPM2" if config.takes_reference else "this model (VoxCPM-0.5B or 1.5)"


def model_text(request: Request, target: str) -> str:
    """What stands before tokenising: description in brackets, then the folded (and maybe normalised) target text."""
    description = fold_text(request.description).strip()
    return f"({description}){target}" if description else target
