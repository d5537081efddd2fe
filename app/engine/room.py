"""What is done when memory runs out: nothing that the error still holds on to may stay, and people are told."""

from __future__ import annotations

import gc
import sys
import traceback

from app.core.engine_api import EngineError
from app.core.messages import Failure

_MESSAGE = (
    "There is not enough memory for this. What was made is kept. Use 16 bits, the processor, fewer takes at once or a "
    "shorter text."
)
_SIGNS = ("out of memory", "not enough memory", "can't allocate memory", "cannot allocate memory")


def lack_of_room(error: BaseException) -> str:
    """The technical part of an error that says that memory ran out; empty for any other error."""
    link: BaseException | None = error
    while link is not None:
        words = str(link).lower()
        told = isinstance(link, RuntimeError | OSError) and any(sign in words for sign in _SIGNS)
        if told or isinstance(link, MemoryError) or type(link).__name__ == "OutOfMemoryError":
            return "".join(traceback.format_exception(error))
        link = link.__cause__
    return ""


def give_back(details: str) -> EngineError:
    """Free what can be freed; returns what to raise. To be called once the error is forgotten.

    While an error is handled its traceback holds every tensor of the step that failed, and nothing is free.
    """
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None:
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            torch.cuda.empty_cache()
        if torch.backends.mps.is_available():
            torch.mps.empty_cache()
    return EngineError(Failure(_MESSAGE, details=details, code="memory"))
