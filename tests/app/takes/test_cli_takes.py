"""voxcpm takes: what the library holds, on the command line."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import soundfile

from app import cli
from app.core.messages import Consent, Job, VoiceSpec
from app.core.resources import default_model_folder
from app.core.take_store import TakeLibrary
from app.core.takes import JoinedPiece, TakeStore
from tests.app.takes.makers import VOICE, made, opened


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("VOXCPM_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("VOXCPM_PASSPHRASE", "a passphrase for tests")
    return tmp_path / "data"


@pytest.fixture
def kept(folder):
    with opened(folder) as store:
        library = TakeLibrary(store)
        takes = [made("The night train.", seed=1)[0], made("Mind the gap.", seed=2, voice=VOICE)[0]]
        for take in takes:
            library.add(take)
        library.mark(takes[0].uid, rating=4, note="warm")
    return takes


def told(capsys) -> dict:
    return json.loads(capsys.readouterr().out)


def test_list_and_show(kept, capsys):
    assert cli.main(["takes", "list"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert kept[1].uid[:8] in first and "Mind the gap." in first and "****" in second
    assert cli.main(["takes", "list", "warm", "--json"]) == 0
    assert [take["id"] for take in told(capsys)["takes"]] == [kept[0].uid]
    assert cli.main(["takes", "list", "--bin"]) == 0 and capsys.readouterr().out == ""
    assert cli.main(["takes", "list", "--limit", "1", "--json"]) == 0 and len(told(capsys)["takes"]) == 1
    assert cli.main(["takes", "show", kept[1].uid[:8], "--json"]) == 0
    shown = told(capsys)
    assert shown["text"] == "Mind the gap." and shown["batch"][0]["seed"] == 2 and shown["model"]["threads"] == 3
    assert "Ada" not in json.dumps(shown) and "grandmother" not in json.dumps(shown)
    assert cli.main(["takes", "show", kept[0].uid]) == 0 and "rating: 4" in capsys.readouterr().out


def test_export_goes_through_the_door(kept, tmp_path, capsys):
    out = tmp_path / "take.wav"
    without = ["--leave-out", "watermark", "--reason", "a test"]
    assert cli.main(["takes", "export", kept[0].uid, str(out), "--bits", "float", "--json", *without]) == 0
    assert told(capsys)["marks"] == {"label": "made", "credentials": "made", "watermark": "left_out"}
    assert np.array_equal(soundfile.read(out, dtype="float32")[0], kept[0].samples)
    assert cli.main(["takes", "export", kept[0].uid, str(out), *without]) == 7
    assert "exists" in capsys.readouterr().err
    assert cli.main(["audit", "show", "--event", "export"]) == 0
    entry = json.loads(capsys.readouterr().out.splitlines()[0])
    assert kept[0].uid in json.dumps(entry)


def test_what_is_refused(folder, kept, capsys, tmp_path):
    assert cli.main(["takes", "show", "nothing"]) == 2
    assert "No take begins" in capsys.readouterr().err
    for limit in ("0", "-1"):
        assert cli.main(["takes", "list", "--limit", limit]) == 2 and "at least one" in capsys.readouterr().err
    assert cli.main(["takes", "list", "--data", str(tmp_path / "empty")]) == 2
    assert not (tmp_path / "empty").exists()
    with pytest.raises(SystemExit):
        cli.main(["takes"])


def test_reproduce(folder, capsys, tmp_path):
    from app.engine.local import LocalEngine

    engine, made_ones = LocalEngine(), TakeStore()
    job = Job(1, "Good evening.", seed=5, takes=2, max_patches=5)
    info = engine.load(str(default_model_folder()), "cpu", "float32", lambda f: None, lambda: False)
    takes = made_ones.open_job(job, info)
    for chunk in engine.stream(job, lambda: False):
        made_ones.take_in(chunk)
    engine.close()
    with opened(folder) as store:
        for take in takes:
            TakeLibrary(store).add(take)
        other = made_ones.open_job(replace(job, job_id=2, seed=6), replace(info, threads=99))[0]
        other.fill(takes[0].samples, takes[0].latents, replace(takes[0].result, seed=6))
        other.state = takes[0].state
        TakeLibrary(store).add(other)
    assert cli.main(["takes", "reproduce", takes[1].uid]) == 0
    assert "The same: all" in capsys.readouterr().out
    assert cli.main(["takes", "reproduce", other.uid]) == 8
    said = capsys.readouterr().out
    assert "Not the same" in said and "threads: 99 then" in said
    assert cli.main(["takes", "reproduce", takes[1].uid, "--model", str(tmp_path)]) == 4


def test_a_joined_take_is_not_made_again(folder, capsys, tmp_path):
    (take,) = made("Joined.")
    take.joined = (JoinedPiece("another", 0.0, 0.1),)
    with opened(folder) as store:
        TakeLibrary(store).add(take)
    assert cli.main(["takes", "reproduce", take.uid, "--model", str(tmp_path / "no model")]) == 4
    assert "joined of others" in capsys.readouterr().err


def test_a_voice_that_nobody_agreed_to_in_this_run_is_not_spoken_with_again(folder, capsys, tmp_path):
    soundfile.write(tmp_path / "a.wav", 0.3 * np.sin(np.arange(32000) / 20), 16000)
    voice = VoiceSpec(str(tmp_path / "a.wav"), consent=Consent.attest("self"))
    (take,) = made("Once.", voice=voice)
    with opened(folder) as store:
        TakeLibrary(store).add(take)
    assert cli.main(["takes", "reproduce", take.uid, "--model", str(default_model_folder()), "--dtype", "float32"]) == 5
    assert "ends with the program: answer the consent question again" in capsys.readouterr().err
