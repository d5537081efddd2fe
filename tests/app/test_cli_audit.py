"""``voxcpm audit``, as people type it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app import cli
from app.core.audit import AuditLog
from app.core.store import Store
from app.core.store.master import ScryptCost
from tests.app.core.test_audit import VOICE, fill, tamper

PASSPHRASE = "four words make sense"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOXCPM_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("VOXCPM_PASSPHRASE", PASSPHRASE)
    with opened(tmp_path / "data") as store:
        log = AuditLog(store.database, store.keys)
        fill(log, 4)
        log.append("voice_frozen", {"voice": VOICE}, reason="asked for by Anna")
    return tmp_path / "data"


def opened(folder: Path) -> Store:
    return Store.open(folder, passphrase=PASSPHRASE, find_keyring=lambda: None, cost=ScryptCost(n=1 << 4))


def test_a_log_is_checked_exported_and_checked_by_somebody_else(data: Path, tmp_path: Path, capsys) -> None:
    assert cli.main(["audit", "check"]) == 0
    assert "intact, 10 entries" in capsys.readouterr().out
    early, late = str(tmp_path / "early.jsonl"), str(tmp_path / "late.jsonl")
    assert cli.main(["audit", "export", early]) == 0
    assert cli.main(["audit", "export", early]) == 7
    assert "not overwritten" in capsys.readouterr().err
    assert cli.main(["audit", "export", early, "--force"]) == 0
    assert cli.main(["audit", "export", late]) == 0
    capsys.readouterr()
    elsewhere = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path / "nobody")}
    command = [sys.executable, "-m", "app.cli", "audit", "check", late, "--since", early, "--json"]
    done = subprocess.run(command, env=elsewhere, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["state"], found["entries"], found["file"]) == ("intact", 13, late)
    assert not (tmp_path / "nobody").exists()
    assert cli.main(["audit", "check", early, "--since", late]) == 9
    assert "was there at the earlier export" in capsys.readouterr().out
    assert cli.main(["audit", "check", "--since", late]) == 0


def test_a_changed_log_is_told_by_code_and_entry(data: Path, tmp_path: Path, capsys) -> None:
    with opened(data) as store:
        tamper(store, "UPDATE audit_entries SET entry = replace(entry, 'generate', 'export') WHERE seq = 4")
    assert cli.main(["audit", "check"]) == 9
    assert "BROKEN. Entry 4 was changed" in capsys.readouterr().out
    assert cli.main(["audit", "check", "--json"]) == 9
    assert json.loads(capsys.readouterr().out)["first_broken"] == 4
    assert cli.main(["audit", "export", str(tmp_path / "log.jsonl")]) == 9
    assert cli.main(["audit", "check", str(tmp_path / "log.jsonl")]) == 9
    assert cli.main(["audit", "check", "--since", str(tmp_path / "log.jsonl")]) == 2
    assert "nothing can be compared" in capsys.readouterr().err


def test_entries_are_shown_with_reasons_only_when_asked(data: Path, capsys) -> None:
    assert cli.main(["audit", "show", "--last", "2"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["seq"] for line in lines] == [9, 10] and "reason" not in lines[1]
    assert cli.main(["audit", "show", "--event", "voice_frozen", "--voice", VOICE, "--reasons"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["reason"] == "asked for by Anna"
    assert cli.main(["audit", "show", "--after", "9", "--voice", "another"]) == 0
    assert capsys.readouterr().out == ""


def test_locked_keys_check_and_show_and_do_not_sign(data: Path, tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.setenv("VOXCPM_PASSPHRASE", "")
    assert cli.main(["audit", "check"]) == 0
    assert cli.main(["audit", "show"]) == 0
    assert cli.main(["audit", "show", "--reasons"]) == 7
    assert cli.main(["audit", "export", str(tmp_path / "log.jsonl")]) == 7
    assert "locked" in capsys.readouterr().err and not (tmp_path / "log.jsonl").exists()


def test_what_is_not_there_is_refused_and_not_made(tmp_path: Path, capsys) -> None:
    nowhere = str(tmp_path / "nowhere")
    for arguments in (["check"], ["show"], ["export", str(tmp_path / "x.jsonl")]):
        assert cli.main(["audit", *arguments, "--data", nowhere]) == 2
    assert cli.main(["audit", "check", nowhere]) == 2
    assert list(tmp_path.iterdir()) == []
    assert "no saved data" in capsys.readouterr().err
    with pytest.raises(SystemExit) as caught:
        cli.main(["audit"])
    assert caught.value.code == 2
