"""Phrases of several takes become one take that says where each part came from."""

from dataclasses import replace

import numpy as np
import pytest

from app.core import take_codec
from app.core.joining import JoinError, join, phrases
from app.core.reproduce import NotReproducibleError, job_of
from app.core.take_store import TakeLibrary
from app.core.takes import JoinedPiece
from tests.app.takes.makers import VOICE, made, opened

RATE = 48000


def spoken(*lengths: float, level: float, pause: float = 0.3, **more):
    """A take of tones of these lengths (seconds) with pauses between."""
    (take,) = made("One, two, three.", **more)
    parts = []
    for length in lengths:
        at = np.arange(round(length * RATE)) / RATE
        parts += [level * np.sin(2 * np.pi * 220 * at), np.zeros(round(pause * RATE))]
    samples = np.concatenate(parts[:-1]).astype(np.float32)
    take._samples = type(take._samples)()
    take._samples.append(samples)
    frames = np.arange(round(take.seconds * take.frame_rate) * 8, dtype=np.float32).reshape(-1, 8)
    take._latents = type(take._samples)(8)
    take._latents.append(frames)
    return take


@pytest.fixture
def two():
    return spoken(0.5, 0.4, 0.6, level=0.2), spoken(0.6, 0.5, 0.4, level=0.4)


def test_cuts_lie_in_the_pauses(two):
    first, second = phrases(two)
    assert [round(cut.stop, 2) for cut in first] == [0.65, 1.35, 2.1]
    assert [round(cut.stop, 2) for cut in second] == [0.75, 1.55, 2.1]


def test_each_phrase_is_that_of_the_chosen_take(two):
    joined = join(two, [0, 1, 0])
    loud = np.abs(joined.samples.reshape(-1, 480)).max(axis=1)
    at = lambda seconds: loud[round(seconds * 100)]  # noqa: E731
    assert at(0.2) == pytest.approx(0.2, abs=0.01) and at(1.0) == pytest.approx(0.4, abs=0.01)
    assert at(joined.seconds - 0.2) == pytest.approx(0.2, abs=0.01)
    one, other = two
    assert [piece.uid for piece in joined.joined] == [one.uid, other.uid, one.uid]
    assert joined.seconds == pytest.approx(sum(piece.stop - piece.start for piece in joined.joined), abs=1e-3)
    assert len(joined.latents) == pytest.approx(joined.seconds * joined.frame_rate, abs=2)
    assert joined.end == "joined" and joined.uid not in (one.uid, other.uid)


def test_a_take_joined_of_itself_is_not_cut_at_all(two):
    joined = join(two, [1, 1, 1])
    assert np.array_equal(joined.samples, two[1].samples)
    assert joined.joined == (JoinedPiece(two[1].uid, 0.0, pytest.approx(2.1)),)


def test_a_joined_take_is_not_made_again_as_if_it_were_whole(two):
    with pytest.raises(NotReproducibleError, match="joined of others"):
        job_of(join(two, [0, 1, 0]), 1)


def test_a_joined_take_can_be_joined_again_and_names_the_first_origin(two):
    joined = join(two, [0, 1, 0])
    again = join([joined, two[1]], [0, 0, 1])
    assert {piece.uid for piece in again.joined} == {take.uid for take in two}


def test_longer_pauses_count_where_one_take_has_more(two):
    three = spoken(0.3, 0.3, 0.3, 0.3, level=0.2, pause=0.2)
    assert len(phrases([two[0], three])[1]) == 3


def test_takes_that_do_not_belong_together_are_refused(two):
    one, other = two
    with pytest.raises(JoinError, match="two or more"):
        join([one], [0])
    other.job = replace(other.job, text="Else.")
    with pytest.raises(JoinError, match="different texts"):
        join(two, [0, 0, 0])
    other.job = replace(one.job, voice=VOICE)
    with pytest.raises(JoinError, match="different voices"):
        join(two, [0, 0, 0])
    other.job, other.sample_rate = one.job, 16000
    with pytest.raises(JoinError, match="sample rates"):
        join(two, [0, 0, 0])
    still = spoken(1.0, level=0.2)
    with pytest.raises(JoinError, match="no pause"):
        join([one, still], [0])


def test_the_origin_is_kept_with_the_take(two, tmp_path):
    joined = join(two, [0, 1, 0])
    joined.press = "p"
    with opened(tmp_path / "data") as store:
        library = TakeLibrary(store)
        library.add(joined)
        back = library.filled(joined.uid)
    assert back.joined == joined.joined and np.array_equal(back.samples, joined.samples)
    facts = take_codec.write_facts(two[0]).replace('"joined": [], ', "")
    assert take_codec.read_facts(facts).joined == ()  # as the version before wrote it
