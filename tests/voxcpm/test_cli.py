"""Commands about models: info and download."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.voxcpm.hub_server import HubServer
from voxcpm import cli

TINY = Path(__file__).parents[1] / "fixtures" / "parity" / "checkpoints" / "tiny-v2"


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, dict[str, Any], str]:
    code = cli.main([*argv, "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out), err


def test_info_counts_what_is_stored(capsys: pytest.CaptureFixture[str]) -> None:
    from voxcpm.checkpoint import CheckpointFiles, read_tensors

    code, said, _ = run(capsys, "info", str(TINY))
    assert code == 0
    files = CheckpointFiles.locate(TINY)
    model = [tensor for _, tensor in read_tensors(files.model)]
    vae = [tensor for _, tensor in read_tensors(files.vae)]
    assert said["parameters"] == {
        "model": sum(t.numel() for t in model),
        "audiovae": sum(t.numel() for t in vae),
    }
    assert sum(share["bytes"] for share in said["stored"].values()) == sum(t.nbytes for t in model + vae)
    assert said["memory"]["bfloat16"]["weights"] < said["memory"]["float32"]["weights"]
    assert (said["encode_rate"], said["output_rate"], said["tokenizer"]["vocab_size"]) == (16000, 48000, 640)
    assert said["modes"] == ["design", "reference", "continuation", "combined"]
    assert said["files"]["config.json"] == (TINY / "config.json").stat().st_size


def test_info_names_unknown_keys_and_refuses_them_if_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "model"
    shutil.copytree(TINY, folder)
    config = json.loads((folder / "config.json").read_text())
    config["lm_config"]["new_trick"] = 1
    (folder / "config.json").write_text(json.dumps(config))
    assert run(capsys, "info", str(folder))[1]["unknown_keys"] == ["lm_config.new_trick"]
    code, said, _ = run(capsys, "info", str(folder), "--strict")
    assert code == 4 and "new_trick" in said["error"]["message"]


def test_info_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["info", str(TINY)]) == 0
    out = capsys.readouterr().out
    assert "voxcpm2" in out and "48000 Hz out" in out and "640 tokens" in out


def test_info_of_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "info", str(tmp_path))[0] == 4
    assert run(capsys, "info", str(tmp_path / "nowhere"))[0] == 4


def test_download_verify_and_use_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with HubServer("openbmb/VoxCPM2", TINY) as server:
        code, said, err = run(capsys, "download", "VoxCPM2", "--endpoint", server.endpoint)
        assert code == 0, err
        assert said["revision"] == server.commit
    folder = Path(said["folder"])
    assert tmp_path in folder.parents
    assert run(capsys, "info", "VoxCPM2")[0] == 0
    assert run(capsys, "download", "VoxCPM2", "--verify")[0] == 0
    (folder / "config.json").write_text("{}")
    code, said, _ = run(capsys, "download", "VoxCPM2", "--verify")
    assert code == 6 and "config.json" in said["error"]["message"]


def test_bench_is_handed_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["bench", "--config", str(TINY / "config.json"), "--random-weights", "--patches", "3", "--settings", "auto"]
    code, said, err = run(capsys, *argv)
    assert code == 0 and said, err
    (tmp_path / "config.json").write_text("{}")
    argv[2] = str(tmp_path / "config.json")
    code, said, _ = run(capsys, *argv)
    assert code == 4 and "config.json" in said["error"]["message"]


def test_a_refused_download(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said, err = run(capsys, "download", "VoxCPM9", "--to", str(tmp_path))
    assert code == 6 and said["error"]["kind"] == "download" and "VoxCPM9" in err


def test_progress_is_drawn_on_stderr_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with HubServer("openbmb/VoxCPM2", TINY) as server:
        argv = ["download", "VoxCPM2", "--endpoint", server.endpoint, "--to", str(tmp_path), "--progress"]
        assert cli.main(argv) == 0
    out, err = capsys.readouterr()
    assert out == f"{tmp_path / 'VoxCPM2'}\n"
    assert "MB" in err and err.endswith("\r")


def test_progress_text_is_plain(capsys: pytest.CaptureFixture[str]) -> None:
    import io

    from voxcpm.terminal import ProgressLine, write_json

    stream = io.StringIO()
    bar = ProgressLine(stream, enabled=True)
    bar.show(2.0, "a long text")
    bar.clear()
    bar.show(0.5, "short")
    assert stream.getvalue().count("#") == 24 + 12
    write_json({"nan": float("nan"), "path": (1, 2.5)})
    assert json.loads(capsys.readouterr().out) == {"nan": None, "path": [1, 2.5]}


def test_info_tells_the_machine_if_asked(capsys: pytest.CaptureFixture[str]) -> None:
    code, said, _ = run(capsys, "info", str(TINY), "--machine")
    assert code == 0
    names = [device["name"] for device in said["machine"]["devices"]]
    assert names[0] == "cpu" and said["machine"]["device"].split(":")[0] in {name.split(":")[0] for name in names}
    assert all(0 < device["free"] <= device["memory"] for device in said["machine"]["devices"])
    assert cli.main(["info", str(TINY), "--machine"]) == 0
    assert "free of" in capsys.readouterr().out
