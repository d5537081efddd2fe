"""A download that another program watches: what it writes, and that it stops when nobody is there any more."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.voxcpm.hub_server import HubServer

ROOT = Path(__file__).parents[2]
TINY = ROOT / "tests" / "fixtures" / "parity" / "checkpoints" / "tiny-v2"


def start(dest: Path, endpoint: str, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "voxcpm.cli", "download", "VoxCPM2", "--events", "--to", str(dest)]
    return subprocess.Popen(
        [*command, "--endpoint", endpoint, *options], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def all_of(child: subprocess.Popen[bytes]) -> list[dict[str, object]]:
    """What it writes until it ends by itself, its input open all the while."""
    assert child.stdin is not None and child.stdout is not None
    with child.stdin, child.stdout:
        output = child.stdout.read()
        child.wait()
    return events(output)


def events(output: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in output.splitlines()]


def test_progress_and_end_are_told_line_by_line(tmp_path: Path) -> None:
    with HubServer("openbmb/VoxCPM2", TINY) as server:
        child = start(tmp_path, server.endpoint)
        *progress, last = all_of(child)
        assert child.returncode == 0
        assert {line["event"] for line in progress} == {"progress"} and progress[-1]["done"] == progress[-1]["total"]
        assert last == {
            "event": "done", "folder": str(tmp_path / "VoxCPM2"), "repo": "openbmb/VoxCPM2", "revision": server.commit,
        }  # fmt: skip
    child = start(tmp_path, "http://127.0.0.1:9", "--verify")
    assert all_of(child)[-1]["event"] == "done" and child.returncode == 0
    (tmp_path / "VoxCPM2" / "config.json").write_text("{}")
    child = start(tmp_path, "http://127.0.0.1:9", "--verify")
    (failed,) = all_of(child)
    assert (failed["event"], failed["kind"], child.returncode) == ("failed", "download", 6)


def test_it_stops_when_its_input_ends_and_keeps_what_it_has(tmp_path: Path) -> None:
    with HubServer("openbmb/VoxCPM2", TINY) as server:
        server.status["model.safetensors"] = [503] * 3  # it waits between tries
        child = start(tmp_path, server.endpoint)
        assert child.stdin is not None and child.stdout is not None
        assert json.loads(child.stdout.readline())["event"] == "progress"
        child.stdin.close()
        assert events(child.stdout.read())[-1] == {"event": "stopped"}
        assert child.wait() == 130
        child.stdout.close()
        assert (tmp_path / ".VoxCPM2.part").is_dir() and not (tmp_path / "VoxCPM2").exists()
        server.status.clear()
        resumed = start(tmp_path, server.endpoint)
        assert all_of(resumed)[-1]["event"] == "done"
