"""Choosing device and dtype, and saying what they cost."""

from __future__ import annotations

import logging
from typing import Any

import torch

from voxcpm.errors import RequestError

logger = logging.getLogger(__name__)

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
DTYPE_NAMES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}


def choose_device(name: str) -> torch.device:
    """``auto`` (a CUDA device if there is one, else the CPU), or a torch device name that exists here."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise RequestError("device", f"{name!r} is not a device; use auto, cpu, cuda or cuda:N") from None
    if device.type == "cuda" and not torch.cuda.is_available():
        raise RequestError("device", "no CUDA device can be used here; choose cpu, or install the CUDA build of torch")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise RequestError("device", f"{name} does not exist; there are {torch.cuda.device_count()} CUDA devices")
    if device.type not in ("cpu", "cuda", "mps"):
        raise RequestError("device", f"{device.type} is not supported; use auto, cpu, cuda or mps")
    return device


def multiplies_bf16(device: torch.device) -> bool:
    """Whether the device has bfloat16 products in hardware (elsewhere they are emulated and slower than float32)."""
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    if device.type == "cpu":
        # get_capabilities is younger than the oldest torch allowed
        capabilities: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
        return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16") or capabilities.get("bf16"))
    return False


def needs_half_weights(device: torch.device) -> bool:
    """Whether bfloat16 means 16-bit weights with float32 products there: a processor that can do no better."""
    from voxcpm.modules.packed import has_half_weights  # only models need these

    return device.type == "cpu" and not multiplies_bf16(device) and has_half_weights()


def choose_dtype(name: str, device: torch.device, stored: torch.dtype) -> torch.dtype:
    """``auto`` keeps float32 weights as they are, and 16-bit ones in 16 bits unless products would be emulated."""
    if name == "auto":
        narrow = stored != torch.float32 and (multiplies_bf16(device) or needs_half_weights(device))
        return torch.bfloat16 if narrow else torch.float32
    name = DTYPE_NAMES.get(name, name)
    if name not in DTYPES:
        raise RequestError("dtype", f"{name!r} is not known; use auto, float32, bfloat16, float16 or int8")
    if name == "float16" and device.type == "cpu":
        raise RequestError("dtype", "float16 is not supported on the CPU; use bfloat16 or float32")
    return DTYPES[name]


def dtype_name(dtype: torch.dtype) -> str:
    """``bfloat16`` for ``torch.bfloat16``."""
    return str(dtype).removeprefix("torch.")


def describe_machine() -> dict[str, Any]:
    """What models can run on here, as plain values.

    ``device`` is what ``auto`` chooses and ``bfloat16`` whether it keeps 16-bit weights so; ``half_weights`` says that
    it then computes in float32. ``devices`` lists name, memory and memory that is free now (bytes); that of the CPU is
    the machine's.
    """
    import psutil

    chosen = choose_device("auto")
    memory = psutil.virtual_memory()
    devices = [{"name": "cpu", "memory": int(memory.total), "free": int(memory.available)}]
    for index in range(torch.cuda.device_count() if torch.cuda.is_available() else 0):
        free, total = torch.cuda.mem_get_info(index)
        devices.append({"name": f"cuda:{index}", "memory": int(total), "free": int(free)})
    if torch.backends.mps.is_available():  # the graphics chip shares the machine's memory
        devices.append({"name": "mps", "memory": int(memory.total), "free": int(memory.available)})
    halves = needs_half_weights(chosen)
    return {
        "device": str(chosen),
        "bfloat16": multiplies_bf16(chosen) or halves,
        "half_weights": halves,
        "devices": devices,
    }
