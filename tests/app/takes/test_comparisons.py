"""Choices between takes: the blind order is fair, what was chosen is kept and shown, and goes with its takes."""

from collections import Counter

import pytest

from app.core.comparisons import Comparisons, blind_order
from app.core.take_store import TakeLibrary, UnknownTakeError
from tests.app.takes.makers import made, opened


@pytest.fixture
def store(tmp_path):
    with opened(tmp_path / "data") as store:
        yield store


def test_the_blind_order_is_unbiased_over_a_thousand_shuffles():
    orders = Counter(tuple(blind_order("abc")) for _ in range(1000))
    assert len(orders) == 6
    # Chi-squared with 5 degrees of freedom: a fair shuffle passes 35.9 once in a million runs.
    assert sum((count - 1000 / 6) ** 2 / (1000 / 6) for count in orders.values()) < 35.9


def test_a_biased_order_would_be_noticed():
    orders = Counter(tuple(blind_order("abc")) if at % 4 else ("a", "b", "c") for at in range(1000))
    assert sum((orders[order] - 1000 / 6) ** 2 / (1000 / 6) for order in orders) > 35.9


def test_a_choice_is_kept_and_the_take_knows_it_until_it_loses(store):
    library, comparisons = TakeLibrary(store), Comparisons(store)
    takes = made(takes=3)
    for take in takes:
        library.add(take)
    one, two, three = (take.uid for take in takes)
    comparisons.add([two, one], two, blind=True)
    assert {take.uid: take.chosen for take in library.page().takes} == {one: False, two: True, three: False}
    comparisons.add([one, two, three], three, blind=False)
    assert {take.uid: take.chosen for take in library.page().takes} == {one: False, two: False, three: True}
    newest, oldest = comparisons.all()
    assert newest.offered == (one, two, three) and newest.chosen == three and not newest.blind
    assert oldest.offered == (two, one) and oldest.chosen == two and oldest.blind


def test_only_takes_that_are_kept_can_be_chosen(store):
    library, comparisons = TakeLibrary(store), Comparisons(store)
    one, two = made(takes=2)
    library.add(one)
    with pytest.raises(UnknownTakeError):
        comparisons.add([one.uid, two.uid], one.uid, blind=False)
    with pytest.raises(ValueError):
        comparisons.add([one.uid, one.uid], one.uid, blind=False)
    with pytest.raises(ValueError):
        comparisons.add([one.uid, two.uid], "another", blind=False)
    assert comparisons.all() == []


def test_a_deleted_take_leaves_its_comparisons_and_tells(store):
    library, comparisons = TakeLibrary(store), Comparisons(store)
    takes = made(takes=2)
    for take in takes:
        library.add(take)
    comparisons.add([take.uid for take in takes], takes[0].uid, blind=False)
    told = []
    library.on_deleted(told.append)
    library.move_to_bin([takes[0].uid])
    assert told == []
    library.empty_bin()
    assert told == [[takes[0].uid]]
    assert comparisons.all() == []
    assert not library.get(takes[1].uid).chosen
