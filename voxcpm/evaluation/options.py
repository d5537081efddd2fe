"""Everything that can be chosen about an evaluation. Loads no torch."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from voxcpm.errors import ConsentError, RequestError


@dataclass(frozen=True)
class EvaluateOptions:
    """One evaluation of one model folder. Sampling has the published defaults."""

    sentences: Path
    out: Path
    seeds: int = 3
    """Takes of every sentence."""
    seed: int = 0
    """The first seed; the others are spread from it."""
    steps: int = 10
    cfg: float | None = None
    """None, as for the temperature, is the model's own."""
    temperature: float | None = None
    retries: int = 3
    retry_ratio: float = 6.0
    device: str = "auto"
    dtype: str = "auto"
    threads: int = 0
    """Processor threads; 0 takes the physical cores that this process may use."""
    gui_core: bool = False
    """Time the first take of every sentence once more with one thread fewer, as the studio runs."""
    language: str = "en"
    originals: str = ""
    """Folder of recordings 001.wav, 002.wav, ... in the order of the sentences, or flite:VOICE."""
    describe: tuple[tuple[str, str], ...] = ()
    """(category, description) for sentences without a description of their own."""
    references: Path | None = None
    """Folder with a subfolder of recordings for each voice."""
    held_out: tuple[str, ...] = ()
    """Voices that were kept out of training; reported apart."""
    descriptions: Path | None = None
    voice_seeds: int = 5
    """Takes of every description, and of every reference voice."""
    consent: str = ""
    """Who agreed to the use of the reference voices."""

    def check(self) -> None:
        """Raise :class:`RequestError` or :class:`ConsentError` naming the first field that makes no sense.

        What concerns the model (steps, guidance, seeds, descriptions) is checked with every request.
        """
        for name, low in (("seeds", 1), ("voice_seeds", 2), ("threads", 0)):
            if getattr(self, name) < low:
                raise RequestError(name, f"must be a whole number from {low} on, is {getattr(self, name)}")
        if self.gui_core and self.all_threads < 2:
            raise RequestError("gui_core", "there is only one processor thread, so none can be left to a window")
        if self.descriptions is not None and self.references is None:
            raise RequestError(
                "descriptions", "needs --references, the folder with recordings of the voices that are expected"
            )
        if self.held_out and self.references is None:
            raise RequestError("held_out", "names a voice of --references, which is missing")
        if self.references is not None and not self.consent.strip():
            raise ConsentError(
                "A voice is used only with the consent of the person it belongs to. Say who agreed: --consent WHO "
                "(for a synthetic voice, where it is from)."
            )

    @property
    def all_threads(self) -> int:
        """Threads of the main run."""
        return self.threads or usable_cores()


def usable_cores() -> int:
    """Physical cores, but no more than this process may use."""
    import psutil

    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(psutil.cpu_count(logical=False) or allowed, allowed))
