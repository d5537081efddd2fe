"""From single takes to the figures of a setting: percentiles, pace, and shares of what the silicon allows."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from voxcpm.bench.costs import PARTS, Cost
from voxcpm.bench.settings import Setting


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` of all lie, between neighbours in proportion."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * share
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def spread(values: Sequence[float]) -> dict[str, float]:
    """Least, middle and 95 % of some times."""
    return {"least": min(values), "p50": percentile(values, 0.5), "p95": percentile(values, 0.95)}


def summarise(
    setting: Setting,
    described: dict[str, Any],
    takes: list[dict[str, Any]],
    costs: dict[str, Cost],
    machine: dict[str, Any],
) -> dict[str, Any]:
    """All figures of one setting; ``takes`` are its rounds. Seconds per patch are those of the whole batch."""
    patches = spread([s for take in takes for s in take["patch_seconds"]])
    parts = {
        part: _part(part, [take["part_seconds"][part] for take in takes], costs[part], described, machine)
        for part in PARTS
    }
    floor = sum(part["floor_seconds"] for part in parts.values())
    attempts = [count for take in takes for count in take["attempts"]]
    peak = max(take["peak_bytes"] for take in takes)
    return {
        "setting": str(setting),
        "precision": described["precision"],
        "plain": setting.plain,
        "rows": setting.rows,
        "threads": takes[0]["threads"],
        "device": described["device"],
        "architecture": described["architecture"],
        "rounds": len(takes),
        "patches": takes[0]["patches"],
        "load_seconds": described["load_seconds"],
        "prefill_seconds": spread([take["prefill_seconds"] for take in takes]),
        "first_audio": spread([take["first_audio"] for take in takes]),
        "last_packet": spread([take["last_packet"] for take in takes]),
        "seconds_per_patch": patches,
        "cpu_seconds_per_patch": spread([s for take in takes for s in take["cpu_seconds"]]),
        "real_time_factor": {
            name: value / described["patch_seconds"] / setting.rows for name, value in patches.items()
        },
        "parts": parts,
        "floor_seconds": floor,
        "roofline_share": floor / patches["least"],
        "weight_bytes": described["weight_bytes"],
        "load_peak_bytes": described["load_peak_bytes"],
        "peak_bytes": peak,
        "peak_to_weights": peak / described["weight_bytes"],
        "memory_measure": described["memory_measure"],
        "retry_rate": sum(count > 1 for count in attempts) / len(attempts),
    }


def _part(
    part: str, seconds: list[float], cost: Cost, described: dict[str, Any], machine: dict[str, Any]
) -> dict[str, Any]:
    precision = "float32" if part == "vae" else described["precision"]
    rates = machine["flops_per_second"]
    reading = cost.bytes / machine["bytes_per_second"]
    multiplying = cost.flops / rates.get(precision, rates["float32"])
    floor = max(reading, multiplying)
    return {
        **spread(seconds),
        "bytes": cost.bytes,
        "flops": cost.flops,
        "bytes_per_second": cost.bytes / min(seconds),
        "floor_seconds": floor,
        "bound_by": "memory" if reading >= multiplying else "products",
        "roofline_share": floor / min(seconds),
    }


def ratio(fast: list[dict[str, Any]], slow: list[dict[str, Any]], names: tuple[str, str]) -> dict[str, Any]:
    """How many times as fast the first is as the second, take by take of the same round."""
    rounds = [
        statistics.median(two["patch_seconds"]) / statistics.median(one["patch_seconds"])
        for one, two in zip(fast, slow, strict=True)
    ]
    least = [min(s for take in takes for s in take["patch_seconds"]) for takes in (slow, fast)]
    cpu = [statistics.median(s for take in takes for s in take["cpu_seconds"]) for takes in (slow, fast)]
    return {
        "fast": names[0],
        "slow": names[1],
        "speedup": statistics.median(rounds),
        "speedups": rounds,
        "speedup_of_least": least[0] / least[1],
        "speedup_of_cpu_time": cpu[0] / cpu[1],
    }


def as_text(result: dict[str, Any]) -> str:
    """The figures for people."""
    lines = []
    for threads, machine in result["machine"].items():
        rates = ", ".join(f"{name} {rate / 1e12:.2f}" for name, rate in machine["flops_per_second"].items())
        lines.append(
            f"{threads} thread(s) read {machine['bytes_per_second'] / 1e9:.1f} GB/s; TFLOP/s in products: {rates}"
        )
    for one in result["settings"]:
        lines += _setting_lines(one)
    for pair in result["ratios"]:
        lines.append(
            f"{pair['fast']} is {pair['speedup']:.2f} times as fast as {pair['slow']} "
            f"(least patches {pair['speedup_of_least']:.2f}, processor time {pair['speedup_of_cpu_time']:.2f})"
        )
    for name, operations in result.get("profile", {}).items():
        lines.append(f"{name}: operations by time of their own")
        lines += [
            f"  {o['share']:5.1%} {o['seconds_per_patch'] * 1000:8.2f} ms a patch {o['calls_per_patch']:6.0f} calls  "
            f"{o['name']}"
            for o in operations
        ]
    return "\n".join(lines) + "\n"


def _setting_lines(one: dict[str, Any]) -> list[str]:
    pace, rtf = one["seconds_per_patch"], one["real_time_factor"]
    parts = ", ".join(
        f"{name} {part['p50'] * 1000:.1f} ms ({part['roofline_share']:.0%} of its {part['bound_by']} roof)"
        for name, part in one["parts"].items()
    )
    return [
        f"{one['setting']} ({one['device']}, {one['precision']}, {one['threads']} threads, {one['rows']} row(s))",
        f"  first audio {one['first_audio']['p50']:.3f} s (95 %: {one['first_audio']['p95']:.3f}), "
        f"last packet {one['last_packet']['p50']:.2f} s, retried {one['retry_rate']:.0%}",
        f"  {pace['p50'] * 1000:.1f} ms a patch (least {pace['least'] * 1000:.1f}), real-time factor {rtf['p50']:.2f} "
        f"(least {rtf['least']:.2f}), {one['roofline_share']:.0%} of the roof; "
        f"processor time {one['cpu_seconds_per_patch']['p50'] * 1000:.1f} ms",
        f"  {parts}",
        f"  loaded in {one['load_seconds']:.2f} s, peak {one['peak_bytes'] / 2**20:.0f} MiB, "
        f"{one['peak_to_weights']:.2f} x the weights ({one['memory_measure']})",
    ]
