"""How fast this machine reads memory and multiplies, with as many threads as the model has: the roof over it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from voxcpm.devices import needs_half_weights
from voxcpm.modules.packed import HalfWeightLinear
from voxcpm.modules.quantised import can_quantise, many_rows_layer

_BUFFER_BYTES = 512 * 2**20
_SIDE = 1536
_SECONDS = 0.5


def measure_machine(device: torch.device) -> dict[str, Any]:
    """Bytes read a second, and operations a second by precision. The best of many tries: what the silicon can do."""
    elements = _BUFFER_BYTES // 4
    buffer = torch.ones(elements, device=device)
    one, two = buffer.chunk(2)
    seconds = min(_best(buffer.sum, device), _best(lambda: torch.dot(one, two), device))
    read = _BUFFER_BYTES / seconds
    buffer = one = two = torch.empty(0)
    rates: dict[str, float] = {}
    halves = needs_half_weights(device)
    for name, dtype in (("float32", torch.float32), ("bfloat16", torch.bfloat16)):
        if dtype == torch.float32 or not halves:
            x = torch.randn(_SIDE, _SIDE, device=device).to(dtype)
            rates[name] = _rate(lambda x=x: x @ x, device)  # type: ignore[misc]
    x = torch.randn(_SIDE, _SIDE)
    if halves:
        half = HalfWeightLinear(x, None)
        rates["bfloat16"] = _rate(lambda: half(x), device)
    if device.type == "cpu" and can_quantise():
        layer = many_rows_layer(nn.Linear(_SIDE, _SIDE, bias=False).requires_grad_(False))
        rates["int8"] = _rate(lambda: layer(x), device)
    return {"bytes_per_second": read, "flops_per_second": rates, "threads": torch.get_num_threads()}


def _rate(product: Callable[[], Any], device: torch.device) -> float:
    """Operations a second of a product of two squares."""
    return 2 * _SIDE**3 / _best(product, device)


def _best(call: Callable[[], Any], device: torch.device) -> float:
    """Least seconds of a call within about half a second."""
    best, end = float("inf"), time.perf_counter() + _SECONDS
    tries = 0
    while tries < 3 or time.perf_counter() < end:
        began = time.perf_counter()
        call()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        best = min(best, time.perf_counter() - began)
        tries += 1
    return best
