"""The benchmark command: what it prints, how it counts, and that its plain way is the plain way. No test looks at a
speed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from tests.voxcpm.conftest import TINY, checkpoint
from voxcpm.bench.costs import PARTS, Cost, Shape
from voxcpm.bench.settings import Setting, full_settings, gui_threads, parse_setting
from voxcpm.bench.summary import as_text, percentile, ratio, summarise
from voxcpm.config import VoxCPMConfig
from voxcpm.errors import RequestError
from voxcpm.model import VoxCPMModel


def bench(*arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "voxcpm.bench", *arguments, "--json"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 1
    return json.loads(done.stdout)


@pytest.mark.timeout(1200)
def test_a_shape_is_measured_in_several_settings_and_compared() -> None:
    config = str(checkpoint("tiny-v2") / "config.json")
    words = ["int8 threads=1", "plain bfloat16 threads=1", "int8 rows=3 threads=1"]
    result = bench(
        "--config", config, "--random-weights", "--patches", "5", "--rounds", "2", "--settings", *words, "--profile"
    )
    assert [s["setting"] for s in result["settings"]] == [str(parse_setting(text)) for text in words]
    for one, rows in zip(result["settings"], (1, 1, 3), strict=True):
        assert one["patches"] == 5 and one["rows"] == rows and one["threads"] == 1 and one["rounds"] == 2
        assert one["first_audio"]["p95"] >= one["first_audio"]["p50"] > 0
        assert one["last_packet"]["p50"] > one["first_audio"]["p50"] and one["peak_bytes"] > 0
        pace = one["seconds_per_patch"]
        assert one["real_time_factor"]["p50"] == pytest.approx(pace["p50"] / 0.16 / rows), "per second of all takes"
        assert pace["least"] <= pace["p50"] <= pace["p95"] and one["cpu_seconds_per_patch"]["least"] > 0
        assert set(one["parts"]) == set(PARTS)
        for part in one["parts"].values():
            assert part["bytes"] > 0 and part["flops"] > 0
            assert part["roofline_share"] == pytest.approx(part["floor_seconds"] / part["least"])
        assert one["retry_rate"] == 0 and one["load_seconds"] > 0
    assert [one["precision"] for one in result["settings"]] == ["int8", "bfloat16", "int8"]
    assert result["machine"]["1"]["bytes_per_second"] > 1e8
    assert {"float32", "bfloat16", "int8"} == set(result["machine"]["1"]["flops_per_second"])
    pairs = {(pair["fast"], pair["slow"]) for pair in result["ratios"]}
    assert pairs == {("int8 threads=1", "plain bfloat16 threads=1"), ("int8 rows=3 threads=1", "int8 threads=1")}
    assert all(len(pair["speedups"]) == 2 for pair in result["ratios"])
    assert set(result["profile"]) == {s["setting"] for s in result["settings"]}
    operations = result["profile"]["plain bfloat16 threads=1"]
    assert any("mm" in operation["name"] for operation in operations)
    assert 0 < sum(operation["share"] for operation in operations) <= 1.0001
    for setting in words:
        assert setting in as_text(result)


@pytest.mark.timeout(1200)
def test_a_model_folder_ends_by_itself_and_retries_are_counted() -> None:
    folder = str(checkpoint("tiny-v2"))
    result = bench("--model", folder, "--patches", "0", "--settings", "float32", "--one-at-a-time")
    one = result["settings"][0]
    assert one["precision"] == "float32" and one["patches"] >= 4 and one["retry_rate"] in (0, 1)
    assert not result["ratios"]


@pytest.mark.parametrize("arguments", [(), ("--config", "x.json"), ("--model", "x", "--random-weights"),
                                       ("--model", "x", "--patches", "1"), ("--model", "x", "--settings", "int4"),
                                       ("--model", "x", "--compare", "plain int8", "auto"),
                                       ("--model", "x", "--full", "--compare", "auto", "int8")])  # fmt: skip
def test_wrong_use_is_refused(arguments: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "voxcpm.bench", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "usage" in done.stderr


def test_what_a_worker_refuses_is_told() -> None:
    from voxcpm.bench.fleet import BenchError, Worker

    with pytest.raises(BenchError, match="is not a folder"):
        Worker({"model": "/nowhere", "device": "cpu", "precision": "auto", "plain": False})


def test_all_threads_are_back_for_a_setting_that_names_none() -> None:
    from voxcpm.bench.fleet import Worker

    worker = Worker({"model": str(checkpoint("tiny-v1")), "device": "cpu", "precision": "float32", "plain": False})
    job = {"do": "take", "rows": 1, "patches": 2, "steps": 2, "cfg": 1.0}
    found = [worker.ask(job | {"threads": count})["threads"] for count in (0, 1, 0)]
    worker.close()
    assert found[1] == 1 and found[0] == found[2] == torch.get_num_threads()


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("int8", Setting("int8")),
        ("plain bfloat16", Setting("bfloat16", True)),
        ("bfloat16, rows=3 threads=1", Setting("bfloat16", False, 3, 1)),
        ("", Setting()),
    ],
)
def test_settings_are_read_and_written_alike(text: str, setting: Setting) -> None:
    assert parse_setting(text) == setting == parse_setting(str(setting))


@pytest.mark.parametrize("text", ["int4", "rows=0", "rows=x", "plain rows=3", "plain int8", "threads=-1", "rows=٣"])
def test_unknown_settings_are_named(text: str) -> None:
    with pytest.raises(RequestError):
        parse_setting(text)


def test_the_full_table_has_every_precision_and_number_of_rows() -> None:
    settings = full_settings("cpu")
    counts = {0} | ({gui_threads()} if gui_threads() else set())
    wanted = {(p, r, t) for p in ("float32", "bfloat16", "int8") for r in (1, 3, 8) for t in counts}
    assert {(s.precision, s.rows, s.threads) for s in settings if not s.plain} == wanted
    assert {s.threads for s in settings if s.plain} == counts


@pytest.mark.parametrize("name", TINY)
def test_costs_are_those_of_the_layers(name: str) -> None:
    config = VoxCPMConfig.from_file(checkpoint(name) / "config.json")
    shape = Shape.of(config)
    costs = shape.costs("bfloat16", 2, steps=10, guided=True, positions=0)
    with torch.device("meta"):
        model = VoxCPMModel(config)
    locdit = sum(
        m.weight.numel()
        for n, m in model.feat_decoder.named_modules()
        if isinstance(m, nn.Linear) and "time_mlp" not in n
    )
    tokens = (3 if name == "tiny-v2" else 1) + 2 * config.patch_size
    assert costs["locdit"] == Cost(9 * locdit * 2, 9 * 2 * locdit * tokens * 2 * 2)
    halved = shape.costs("bfloat16", 2, steps=10, guided=False, positions=0)["locdit"]
    assert halved.flops * 2 == costs["locdit"].flops and halved.bytes == costs["locdit"].bytes
    longer = shape.costs("bfloat16", 2, steps=10, guided=True, positions=100)["lm"].bytes - costs["lm"].bytes
    layers = config.lm_config.num_hidden_layers + config.residual_lm_num_layers
    assert longer == 2 * layers * config.lm_config.num_key_value_heads * config.lm_config.head_dim * 100 * 2 * 2
    eight = shape.costs("int8", 2, steps=10, guided=True, positions=0)
    assert eight["lm"].bytes < costs["lm"].bytes and eight["lm"].flops == costs["lm"].flops
    assert costs["vae"].flops == 2 * shape.vae_flops > 0


def test_figures_are_worked_out_from_takes() -> None:
    take = {
        "threads": 2, "patches": 3, "prefill_seconds": 0.1, "first_audio": 0.3, "last_packet": 1.0,
        "attempts": [1, 3], "patch_seconds": [0.2, 0.4], "cpu_seconds": [0.3, 0.5], "peak_bytes": 300,
        "part_seconds": dict.fromkeys(PARTS, 0.05),
    }  # fmt: skip
    described = {
        "precision": "bfloat16", "device": "cpu", "architecture": "voxcpm2", "load_seconds": 1.0, "weight_bytes": 200,
        "load_peak_bytes": 250, "memory_measure": "x", "patch_seconds": 0.16,
    }  # fmt: skip
    machine = {"bytes_per_second": 1e9, "flops_per_second": {"float32": 1e10, "bfloat16": 1e12}}
    costs = {part: Cost(10_000_000, 5_000_000_000) for part in PARTS}
    one = summarise(Setting("bfloat16", rows=2), described, [take, take], costs, machine)
    assert one["seconds_per_patch"]["least"] == 0.2 and one["seconds_per_patch"]["p50"] == pytest.approx(0.3)
    assert one["real_time_factor"]["least"] == pytest.approx(0.2 / 0.16 / 2)
    assert one["parts"]["lm"]["bound_by"] == "memory" and one["parts"]["lm"]["floor_seconds"] == pytest.approx(0.01)
    assert one["parts"]["vae"]["bound_by"] == "products" and one["parts"]["vae"]["floor_seconds"] == pytest.approx(0.5)
    assert one["roofline_share"] == pytest.approx(0.53 / 0.2)
    assert one["peak_to_weights"] == 1.5 and one["retry_rate"] == 0.5
    slow = {**take, "patch_seconds": [0.8, 0.8], "cpu_seconds": [1.2]}
    pair = ratio([take], [slow], ("a", "b"))
    assert pair["speedup"] == pytest.approx(0.8 / 0.3) and pair["speedup_of_least"] == pytest.approx(4)
    assert pair["speedup_of_cpu_time"] == pytest.approx(3)


def test_percentiles_lie_between_neighbours() -> None:
    assert percentile([3, 1, 2], 0.5) == 2 and percentile([1.0], 0.95) == 1.0
    assert percentile([0, 10], 0.95) == pytest.approx(9.5)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("precision", ["bfloat16", "int8"])
@pytest.mark.parametrize("name", ["VoxCPM-0.5B", "VoxCPM1.5", "VoxCPM2"])
def test_real_shapes_keep_their_memory_bound(name: str, precision: str) -> None:
    config = Path(__file__).resolve().parents[3] / "shared" / "parity" / "real_configs" / f"{name}.json"
    if not config.is_file():
        pytest.skip("the real configs are not beside this checkout")
    result = bench(
        "--config", str(config), "--random-weights", "--patches", "3", "--settings", f"{precision} threads=1"
    )
    assert result["settings"][0]["peak_to_weights"] <= 1.15
