"""``voxcpm voices statement``, ``renew`` and ``extend``: shown, refused with the reason, kept; the level is told."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app import cli
from app.core.consent.record import OTHER, SELF
from app.core.library import Library
from app.core.spoken import Listeners
from tests.app.consent.makers import Hears, Matches
from tests.app.voices.makers import PASSPHRASE, Clock, place, sound


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOXCPM_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("VOXCPM_PASSPHRASE", PASSPHRASE)
    with place(tmp_path / "data", Clock(datetime.now(UTC).replace(microsecond=0))) as store:
        store.add(kind=OTHER, name="Ada")
        store.add(kind=SELF, name="Me", seed=1)
    Path("spoken.flac").write_bytes(sound(5.0, seed=9).to_flac())
    return tmp_path


def run(capsys, *argv):
    code = cli.main(["voices", *argv])
    return code, capsys.readouterr()


def listening(monkeypatch, text, score=0.9):
    """What the listeners will hear; both are there."""
    monkeypatch.setattr(
        "app.engine.listeners.open_listeners", lambda *_: Listeners(Hears(text), Matches(score)), raising=True
    )


def test_the_statement_is_shown_and_its_recording_raises_the_level(here, capsys, monkeypatch):
    code, said = run(capsys, "statement", "Ada")
    assert code == 0 and "My words are" in said.out
    listening(monkeypatch, said.out.strip())
    code, said = run(capsys, "statement", "Ada", "--audio", "spoken.flac", "--json")
    known = json.loads(said.out)
    assert code == 0 and known["level"] == "L2" and known["version"] == 2
    assert any("L3" in line for line in known["would_raise"])
    assert run(capsys, "show", "Ada")[1].out.count("level: L2") == 1


@pytest.mark.parametrize(("text", "score", "why"), [("nonsense", 0.9, "of 4 words"), (None, 0.5, "not the voice")])
def test_what_is_not_the_statement_of_this_voice_is_refused(here, capsys, monkeypatch, text, score, why):
    said = run(capsys, "statement", "Ada")[1].out.strip()
    listening(monkeypatch, said if text is None else text, score)
    code, said = run(capsys, "statement", "Ada", "--audio", "spoken.flac")
    assert code == 2 and why in said.err
    with Library() as library:
        assert [entry.event for entry in library.audit.entries()].count("statement_refused") == 1
        assert library.voices.verdict(library.voices.find("Ada").voice_id).level == "L0"


def test_without_listeners_it_is_evidence(here, capsys):
    code, said = run(capsys, "statement", "Ada", "--audio", "spoken.flac")
    assert code == 0 and "level L1" in said.out
    assert "Level L2 is unavailable" in said.err or "recognised gives L2" in said.err
    code, said = run(capsys, "statement", "Ada", "--audio", "spoken.flac", "--recogniser", "nowhere")
    assert code == 2 and "Level L2 is unavailable" in said.err


def test_a_consent_is_renewed_and_extended(here, capsys):
    Path("letter.pdf").write_bytes(b"signed")
    code, said = run(
        capsys, "renew", "Ada", "--months", "6", "--lang", "zh", "--training", "--document", "letter.pdf", "--json"
    )
    known = json.loads(said.out)
    assert code == 0 and (known["version"], known["level"]) == (2, "L1")
    with Library() as library:
        record = library.voices.record(library.voices.find("Ada").voice_id)
        assert record.statement.lang == "zh" and record.scope.training
        assert library.voices.verdict(record.voice_id).ok
    code, said = run(capsys, "extend", "Ada", "--months", "30", "--json")
    assert code == 0 and json.loads(said.out)["expires_at"] > known["expires_at"]
    code, said = run(capsys, "extend", "Ada", "--months", "1")
    assert code == 2 and "renew it" in said.err
    code, said = run(capsys, "extend", "Me", "--months", "1")
    assert code == 2 and "no end" in said.err


def test_a_voice_whose_personal_part_cannot_be_read_is_shown_all_the_same(here, capsys):
    with Library() as library:
        voice_id = library.voices.find("Ada").voice_id
        with library.store.database.write() as connection:
            connection.execute("DROP TRIGGER consent_versions_are_final")
            connection.execute("UPDATE consent_versions SET private = x'00' WHERE voice_id = ?", (voice_id,))
    code, said = run(capsys, "show", voice_id)
    assert code == 0 and "Not usable: The personal part" in said.out
