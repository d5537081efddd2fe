"""Spoken statements: raised levels, impersonation refused and logged, renewal and extension with the chain kept."""

import hashlib
import os
import shutil
import subprocess
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from app.core.audio_files import AudioFileError
from app.core.consent import making
from app.core.consent.evidence import Availability
from app.core.consent.making import make_scope
from app.core.consent.problems import RuleError
from app.core.consent.record import LICENSED, OTHER, SELF, SYNTHETIC
from app.core.consent.rules import MIN_THRESHOLD
from app.core.renewal import Renewal, extend_voice, renew_voice
from app.core.sound_files import read_sound
from app.core.spoken import (
    CLEARLY_OTHER,
    FILE,
    LIVE,
    Listeners,
    SpokenSound,
    StatementRefused,
    add_spoken,
    fresh_statement,
    reach_of,
    what_would_raise,
)
from app.core.voice_card import VoiceCard, VoiceError
from app.core.voice_making import Word, save_files
from app.engine.evidence import matcher_availability, open_matcher
from tests.app.consent.makers import Hears, Matches
from tests.app.voices.makers import new_voice, place, sound

WEIGHTS = Path(os.environ["VOXCPM_SPEAKER_WEIGHTS"]) if os.environ.get("VOXCPM_SPEAKER_WEIGHTS") else None
FLITE = ("rms", "slt", "awb", "kal16")
NO_RECOGNISER = Availability(False, "recogniser.not_installed", "no recogniser")
NO_MATCHER = Availability(False, "matcher.not_installed", "no matcher")


@pytest.fixture
def here(tmp_path):
    with place(tmp_path / "data") as here:
        yield here


def drawn(here, voice, lang="en"):
    return fresh_statement(here.voices.record(voice.voice_id), lang, now=here.clock())


def live(here, after=timedelta(minutes=1), seed=9):
    return SpokenSound.live(sound(6.0, seed=seed), here.clock() + after)


def say(here, voice, statement=None, *, text=None, score=0.9, spoken=None, **options):
    """Speak a statement, so that it is heard as it is or as ``text``."""
    statement = statement or drawn(here, voice)
    said = statement.text.text if text is None else text
    there = Listeners(Hears(said), None if score is None else Matches(score))
    return add_spoken(here.voices, voice.voice_id, statement, spoken or live(here), there, **options)


@pytest.mark.parametrize("kind", [SELF, OTHER])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_live_with_fresh_words_and_a_matching_voice_gives_the_highest_level(here, kind, lang):
    voice = here.add(kind=kind)
    signed = say(here, voice, drawn(here, voice, lang))
    assert signed.level == "L3" and signed.statement.lang == lang
    assert here.voices.verdict(voice.voice_id).ok and len(here.voices.versions(voice.voice_id)) == 2
    assert here.events("record_added")[-1]["level"] == "L3"
    with here.store.database.read() as connection:
        (kept,) = connection.execute("SELECT sha256 FROM voice_files WHERE part = 'statement'").fetchall()
    assert kept[0] == signed.evidence[-1].sha256


@pytest.mark.parametrize(
    ("options", "level"),
    [
        ({"score": None}, "L2"),  # nothing compares voices
        ({"score": 0.8199}, "L2"),  # it is not clear enough who is heard
        ({"score": float(CLEARLY_OTHER)}, "L2"),
        ({"score": float(MIN_THRESHOLD)}, "L3"),
    ],
)
def test_no_more_is_claimed_than_was_shown(here, options, level):
    assert say(here, here.add(), **options).level == level


def test_a_file_never_gives_the_highest_level(here):
    voice = here.add()
    kept = live(here)
    assert say(here, voice, spoken=SpokenSound(kept.sound, kept.data, FILE, kept.captured_at)).level == "L2"


@pytest.mark.parametrize("after", [timedelta(hours=25), timedelta(seconds=-1)])
def test_words_that_were_drawn_long_ago_or_later_prove_nothing_live(here, after):
    voice = here.add()
    statement = drawn(here, voice)
    spoken = live(here, after)
    here.clock.now += timedelta(hours=26)
    assert say(here, voice, statement, spoken=spoken).level == "L2"


def statements(here, voice):
    with here.store.database.read() as connection:
        rows = connection.execute(
            "SELECT sha256 FROM voice_files WHERE part = 'statement' AND voice_id = ?", (voice.voice_id,)
        )
        return {row[0] for row in rows}


def test_a_statement_is_kept_from_when_it_was_added_and_an_older_one_no_longer_for_it(here):
    voice = here.add(kind=OTHER)
    granted, days = here.clock.now, timedelta(days=1)
    first = say(here, voice).evidence[-1].sha256
    here.clock.now = granted + 40 * days
    later = say(here, voice, spoken=live(here, seed=10))
    assert later.retention.delete_by == here.clock.now + 30 * days
    assert here.voices.enforce_retention() == 1 and statements(here, voice) == {later.evidence[-1].sha256} != {first}
    extend_voice(here.voices, voice.voice_id, 1)
    renew_voice(here.voices, voice.voice_id, Renewal())
    assert here.voices.enforce_retention() == 0
    here.clock.now = granted + 70 * days - timedelta(seconds=1)
    assert here.voices.enforce_retention() == 0 and statements(here, voice)
    here.clock.now += timedelta(seconds=1)
    assert here.voices.enforce_retention() == 1 and not statements(here, voice)
    assert here.voices.verdict(voice.voice_id).ok


def test_a_statement_for_the_session_stays_until_its_end(here):
    new = new_voice(kind=OTHER)
    kept = making.make_retention(new.draft.granted_at, new.draft.expires_at, "until_expiry", "session")
    voice = here.voices.add(replace(new, draft=replace(new.draft, retention=kept)))
    here.voices._of_session.clear()  # as another start would see it
    here.clock.now += timedelta(days=2)
    say(here, voice)
    assert here.voices.enforce_retention() == 0 and statements(here, voice)
    assert here.voices.enforce_retention(ending=True) == 1 and not statements(here, voice)


def test_another_speaker_is_refused_and_nothing_changes(here):
    voice = here.add(kind=OTHER)
    before = here.voices.stored_versions(voice.voice_id)
    for unheard in (False, True):
        with pytest.raises(StatementRefused, match="not the voice of the recordings") as caught:
            say(here, voice, score=0.7499, though_unheard=unheard)
        assert caught.value.problem.code == "statement.other_voice"
    assert here.voices.stored_versions(voice.voice_id) == before
    assert here.voices.verdict(voice.voice_id).level == "L0"
    refused = here.events("statement_refused")
    assert [facts["cause"] for facts in refused] == ["statement.other_voice"] * 2
    assert refused[0]["voice"] == voice.voice_id


def test_other_words_are_refused_and_can_be_kept_as_mere_evidence(here):
    voice = here.add(kind=OTHER)
    statement = drawn(here, voice)
    old = drawn(here, voice).text.text  # an old recording: the words of another statement
    with pytest.raises(StatementRefused, match="of 4 words"):
        say(here, voice, statement, text=old)
    assert here.voices.verdict(voice.voice_id).level == "L0"
    assert [facts["cause"] for facts in here.events("statement_refused")] == ["statement.not_heard"]
    assert say(here, voice, statement, text=old, though_unheard=True).level == "L1"


def test_without_a_recogniser_it_is_evidence_and_says_what_is_missing(here):
    voice = here.add()
    there = Listeners(None, None, NO_RECOGNISER, NO_MATCHER)
    signed = add_spoken(here.voices, voice.voice_id, drawn(here, voice), live(here), there)
    assert signed.level == "L1" and signed.asr is None
    codes = [problem.code for problem in what_would_raise(signed, there)]
    assert codes == ["raise.spoken", "recogniser.not_installed", "raise.live", "matcher.not_installed"]


def test_what_is_within_reach(here):
    record = here.voices.record(here.add().voice_id)
    statement = fresh_statement(record, now=here.clock())
    both, ears = Listeners(), Listeners(matcher_state=NO_MATCHER)
    neither = Listeners(None, None, NO_RECOGNISER, NO_MATCHER)
    reach = [reach_of(record, statement, source, there) for there in (both, ears, neither)
             for source in (LIVE, FILE)]  # fmt: skip
    assert reach == ["L3", "L2", "L2", "L2", "L1", "L1"]
    assert what_would_raise(here.voices.record(here.add(kind=SYNTHETIC).voice_id), both) == ()


def test_a_representative_is_not_compared_with_the_person(here, tmp_path, speech_file):
    word = Word(OTHER, "Ada", "ada@example.org", adult=False, representative=("Bo", "parent"))
    voice = save_files(here.voices, VoiceCard("Ada"), word, {"reference": speech_file})
    record = here.voices.record(voice.voice_id)
    statement = fresh_statement(record, now=here.clock())
    assert statement.template_id.startswith("guardian.")
    assert reach_of(record, statement, LIVE, Listeners()) == "L2"
    signed = say(here, voice, statement, score=0.1)  # another voice, as it must be
    assert signed.level == "L2" and signed.speaker_match is None


@pytest.fixture
def speech_file(tmp_path):
    path = tmp_path / "speech.flac"
    path.write_bytes(sound(2.0).to_flac())
    return path


def test_nobody_speaks_for_a_designed_or_withdrawn_voice(here):
    designed, withdrawn = here.add(kind=SYNTHETIC), here.add(kind=OTHER, seed=1)
    here.voices.withdraw(withdrawn.voice_id)
    for voice, why in ((designed, "No person"), (withdrawn, "withdrawn")):
        with pytest.raises(VoiceError, match=why):
            drawn(here, voice)
    with pytest.raises(VoiceError, match="withdrawn"):
        renew_voice(here.voices, withdrawn.voice_id, Renewal())


def test_a_file_of_no_use_is_refused(here, tmp_path):
    (tmp_path / "a.wav").write_bytes(b"no sound")
    long = tmp_path / "long.flac"
    long.write_bytes(sound(61.0, rate=8000).to_flac())
    for path in (tmp_path / "a.wav", long, tmp_path / "none.wav"):
        with pytest.raises(AudioFileError):
            SpokenSound.of_file(path, here.clock())


# Renewal ------------------------------------------------------------------------------------------------------------


def test_a_renewed_consent_begins_anew_with_other_words(here):
    voice = here.add(kind=OTHER)
    say(here, voice)
    old = here.voices.record(voice.voice_id)
    here.clock.now += timedelta(days=400)
    assert "expired" in here.voices.verdict(voice.voice_id).codes
    document = b"a signed letter"
    digest = hashlib.sha256(document).hexdigest()
    wish = Renewal(24, make_scope(training=True), "zh", {digest: document})
    new = renew_voice(here.voices, voice.voice_id, wish)
    assert (old.level, new.level, new.version) == ("L3", "L1", 3)
    assert new.statement.lang == "zh" and new.statement.nonce != old.statement.nonce
    assert new.scope.training and new.granted_at == here.clock()
    assert here.voices.verdict(voice.voice_id).ok and here.door.admit(voice.voice_id)
    assert say(here, voice, new.statement).level == "L3"
    assert [record.change for record in here.voices.versions(voice.voice_id)] == [
        "made", "evidence_added", "renewed", "evidence_added",
    ]  # fmt: skip


@pytest.mark.parametrize("months", [0, 37])
def test_a_consent_is_not_renewed_for_ever(here, months):
    with pytest.raises(VoiceError, match="1 to 36"):
        renew_voice(here.voices, here.add(kind=OTHER).voice_id, Renewal(months))


def test_ones_own_voice_is_renewed_without_an_end(here):
    voice = here.add(kind=SELF)
    here.clock.now += timedelta(days=1)
    record = renew_voice(here.voices, voice.voice_id, Renewal())
    assert (record.change, record.expires_at) == ("renewed", None)
    here.clock.now += timedelta(days=1)
    assert renew_voice(here.voices, voice.voice_id, Renewal(6)).expires_at is not None
    assert here.voices.verdict(voice.voice_id).ok


def test_a_consent_is_extended_to_three_years_from_the_grant(here):
    voice = here.add(kind=OTHER)
    first = here.voices.record(voice.voice_id)
    longer = extend_voice(here.voices, voice.voice_id, 24)
    assert longer.expires_at.year == first.granted_at.year + 3 and longer.statement == first.statement
    with pytest.raises(VoiceError, match="renew it"):
        extend_voice(here.voices, voice.voice_id, 1)
    with pytest.raises(VoiceError, match="at least one"):
        extend_voice(here.voices, voice.voice_id, 0)
    own = here.add(kind=LICENSED, seed=3)
    with pytest.raises(VoiceError, match="no end"):
        extend_voice(here.voices, own.voice_id, 3)
    assert here.voices.verdict(voice.voice_id).ok


def test_a_designed_voice_is_not_renewed(here):
    with pytest.raises((VoiceError, RuleError)):
        renew_voice(here.voices, here.add(kind=SYNTHETIC).voice_id, Renewal())


# Impersonation with real voices -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def flite(tmp_path_factory):
    """Speaks a text with a voice of flite into a file."""
    if shutil.which("flite") is None:
        pytest.skip("flite is not installed")
    folder = tmp_path_factory.mktemp("flite")

    def speak(voice, text):
        path = folder / f"{voice}-{abs(hash(text))}.wav"
        subprocess.run(["flite", "-voice", voice, "-t", text, "-o", str(path)], check=True)
        return path

    return speak


@pytest.mark.skipif(not matcher_availability(WEIGHTS).available, reason="no weights of a speaker embedding")
def test_real_voices_pass_for_themselves_and_for_nobody_else(here, flite):
    """Every pair of four synthetic voices, with the published speaker embedding."""
    matcher = open_matcher(WEIGHTS)
    saved = {
        name: save_files(
            here.voices, VoiceCard(name), Word(OTHER, name, "at flite"),
            {"reference": flite(name, "The boat left the harbour at dawn, and nobody waved from the quay.")},
        )
        for name in FLITE
    }  # fmt: skip
    levels = {}
    for name, voice in saved.items():
        for speaker in FLITE:
            statement = drawn(here, voice)
            spoken = SpokenSound.live(read_sound(flite(speaker, statement.text.text)), here.clock())
            there = Listeners(Hears(statement.text.text), matcher)
            try:
                levels[name, speaker] = add_spoken(here.voices, voice.voice_id, statement, spoken, there).level
            except StatementRefused as error:
                levels[name, speaker] = error.problem.code
    assert {pair: level for pair, level in levels.items() if pair[0] == pair[1]} == {(n, n): "L3" for n in FLITE}
    others = [level for (voice, speaker), level in levels.items() if voice != speaker]
    assert set(others) <= {"statement.other_voice", "L2"} and others.count("L2") <= 2  # two of them are much alike
    assert len(here.events("statement_refused")) == others.count("statement.other_voice") >= 10
