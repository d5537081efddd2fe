"""``python -m tests.speed.kernels``: which matrix product is the fastest for the real layer shapes on this CPU.

Candidates take turns, call by call, so that a machine whose speed drifts favours none; the least and the median time
of each are told, with the error against a product in float64. Weights are visited in turn and are larger together
than the caches of a core. One thread is measured in processor time, which other programs disturb least; more threads
in wall time. Writes one JSON object a line, or a Markdown table with ``--table``.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

SHAPES = {  # name: outputs, inputs
    "0.5B gate+up": (8192, 1024),
    "0.5B down": (1024, 4096),
    "0.5B q+k+v": (1280, 1024),
    "VoxCPM2 LM gate+up": (12288, 2048),
    "VoxCPM2 LM down": (2048, 6144),
}
ROWS = (1, 3, 10, 22, 66)
WEIGHT_BYTES = 48 * 2**20  # all copies of one weight, in 8 bits
Call = Callable[[Any], Tensor]


@dataclass
class Candidate:
    """One way to multiply: weights laid out for it, the call, and bytes a weight value takes."""

    name: str
    weights: list[Any]
    call: Call
    width: int


def quantised(weight: Tensor) -> tuple[Tensor, Tensor]:
    """Symmetric 8 bits per output: [N, K] -> int8 [N, K], float32 [N]."""
    scale = weight.abs().amax(1).clamp(min=1e-12) / 127
    return (weight / scale[:, None]).round().to(torch.int8), scale


def prepacked(weight: Tensor, engine: str) -> Any:
    """For ``quantized::linear_dynamic`` in one of torch's quantised engines."""
    torch.backends.quantized.engine = engine
    scale = quantised(weight)[1].double()
    zero = torch.zeros(len(scale), dtype=torch.long)
    return torch.ops.quantized.linear_prepack(torch.quantize_per_channel(weight, scale, zero, 0, torch.qint8), None)


def per_row(x: Tensor) -> tuple[Tensor, Tensor]:
    """Symmetric 8 bits per row of activations: float [M, K] -> int8 [M, K], float [M, 1]."""
    scale = x.abs().amax(-1, keepdim=True).clamp(min=1e-12) / 127
    return (x / scale).round().to(torch.int8), scale


def candidates(weights: list[Tensor], x: Tensor) -> list[Candidate]:
    """All ways that this torch has."""
    x16 = x.bfloat16()
    outputs = weights[0].shape[0]
    pairs = [quantised(w) for w in weights]
    one, zeros = torch.ones(1), torch.zeros(outputs, dtype=torch.int32)
    zero = torch.zeros(1, dtype=torch.int32)

    def pointwise(packed: Any) -> Tensor:
        qx, scale = per_row(x)
        out = torch.ops.onednn.qlinear_pointwise.tensor(
            qx, one, zero, packed[0], packed[1], zeros, None, 1.0, 0, torch.float32, "none", [], ""
        )
        return out.mul_(scale)

    def rows_scaled(packed: Any) -> Tensor:
        scale = x.abs().amax(-1, keepdim=True)
        return torch.ops.quantized.linear_dynamic(x / scale, packed, False).mul_(scale)

    def packed_linear(y: Tensor) -> Call:
        return lambda w: torch.ops.mkldnn._linear_pointwise(y, w, None, "none", [], "")

    makers: list[tuple[str, int, Callable[[], list[Any]], Call]] = [
        ("bf16 eager", 2, lambda: [w.bfloat16() for w in weights], lambda w: F.linear(x16, w)),
        ("bf16 packed (oneDNN)", 2, lambda: [torch.ops.mkldnn._reorder_linear_weight(w.bfloat16(), 4) for w in weights],
         packed_linear(x16)),
        ("fp32 eager", 4, lambda: weights, lambda w: F.linear(x, w)),
        ("fp32 packed (oneDNN)", 4, lambda: [torch.ops.mkldnn._reorder_linear_weight(w, 4) for w in weights],
         packed_linear(x)),
        ("int8 weights, bf16 in (int8pack_mm)", 1, lambda: [(q, s.bfloat16()) for q, s in pairs],
         lambda w: torch.ops.aten._weight_int8pack_mm(x16, *w)),
        ("int8 dynamic (fbgemm)", 1, lambda: [prepacked(w, "fbgemm") for w in weights],
         lambda w: torch.ops.quantized.linear_dynamic(x, w, False)),
        ("int8 dynamic (fbgemm), rows scaled", 1, lambda: [prepacked(w, "fbgemm") for w in weights], rows_scaled),
        ("int8 dynamic (oneDNN)", 1, lambda: [prepacked(w, "onednn") for w in weights],
         lambda w: torch.ops.quantized.linear_dynamic(x, w, False)),
        ("int8 per row (oneDNN qlinear)", 1,
         lambda: [(torch.ops.onednn.qlinear_prepack(q, None), s) for q, s in pairs], pointwise),
    ]  # fmt: skip
    found = []
    for name, width, make, call in makers:
        try:
            made = make()
            call(made[0])
        except (RuntimeError, AttributeError, NotImplementedError) as error:
            sys.stderr.write(f"{name}: not here ({str(error).splitlines()[0]})\n")
            continue
        found.append(Candidate(name, made, call, width))
    return found


def measure(shape: tuple[int, int], rows: int, seconds: float) -> list[dict[str, Any]]:
    """All candidates on one shape, taking turns for about ``seconds``."""
    outputs, inputs = shape
    copies = max(2, WEIGHT_BYTES // (outputs * inputs))
    weights = [torch.randn(outputs, inputs) * 0.02 for _ in range(copies)]
    x = torch.randn(rows, inputs)
    exact = x.double() @ weights[0].double().T
    clock = time.thread_time if torch.get_num_threads() == 1 else time.perf_counter
    found = candidates(weights, x)
    times: dict[str, list[float]] = {c.name: [] for c in found}
    for candidate in list(found):  # one warm call; what is hopeless is not waited for
        began = clock()
        candidate.call(candidate.weights[0])
        if clock() - began > 0.05:
            found.remove(candidate)
            times.pop(candidate.name)
    end, turn = time.perf_counter() + seconds, 0
    while time.perf_counter() < end or turn < 5:
        for candidate in found:
            began = clock()
            for index in range(2):
                candidate.call(candidate.weights[(2 * turn + index) % copies])
            times[candidate.name].append((clock() - began) / 2)
        turn += 1
    rows_out = []
    for candidate in found:
        error = candidate.call(candidate.weights[0]).double() - exact
        least, middle = min(times[candidate.name]), statistics.median(times[candidate.name])
        rows_out.append(
            {
                "candidate": candidate.name, "shape": list(shape), "rows": rows, "threads": torch.get_num_threads(),
                "least_us": round(least * 1e6, 1), "median_us": round(middle * 1e6, 1),
                "gb_per_s": round(candidate.width * outputs * inputs / least / 1e9, 1),
                "tflops": round(2 * rows * outputs * inputs / least / 1e12, 3),
                "relative_error": float(error.norm() / exact.norm()),
            }
        )  # fmt: skip
    return rows_out


def as_table(results: list[dict[str, Any]], name: str) -> str:
    """One Markdown table for a shape: least and median microseconds by number of rows."""
    rows = sorted({r["rows"] for r in results})
    names = list(dict.fromkeys(r["candidate"] for r in results))
    by = {(r["candidate"], r["rows"]): r for r in results}
    head = f"| {name} {results[0]['shape']} | " + " | ".join(f"{m} row(s)" for m in rows) + " | error |\n"
    head += "|---|" + "---|" * (len(rows) + 1) + "\n"
    lines = []
    for candidate in names:
        cells = []
        for m in rows:
            r = by.get((candidate, m))
            cells.append(f"{r['least_us']:.0f} / {r['median_us']:.0f}" if r else "slow")
        error = max(r["relative_error"] for r in results if r["candidate"] == candidate)
        lines.append(f"| {candidate} | " + " | ".join(cells) + f" | {error:.2%} |\n")
    return head + "".join(lines)


def main() -> int:
    """Entry."""
    parser = argparse.ArgumentParser(prog="python -m tests.speed.kernels", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2.0, help="for all candidates of one shape and row count")
    parser.add_argument("--shapes", nargs="*", default=list(SHAPES), choices=list(SHAPES))
    parser.add_argument("--rows", type=int, nargs="*", default=list(ROWS))
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    with torch.inference_mode():
        for name in options.shapes:
            results = [r for rows in options.rows for r in measure(SHAPES[name], rows, options.seconds)]
            text = as_table(results, name) if options.table else "".join(json.dumps(r) + "\n" for r in results)
            sys.stdout.write(text + "\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
