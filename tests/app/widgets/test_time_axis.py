import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.widgets.time_axis import TimeAxis

SECONDS = st.floats(-10, 10_000, allow_nan=False)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("zoom"), st.floats(0.01, 100), SECONDS),
        st.tuples(st.just("pan"), st.floats(-9000, 9000), st.just(0.0)),
        st.tuples(st.just("length"), st.floats(0, 7200), st.booleans()),
        st.tuples(st.just("follow"), SECONDS, st.just(0.0)),
        st.tuples(st.just("select"), SECONDS, SECONDS),
        st.tuples(st.just("fit"), st.just(0.0), st.just(0.0)),
        st.tuples(st.just("between"), SECONDS, SECONDS),
    )
)


@given(STEPS)
def test_the_view_never_leaves_the_take_whatever_is_done(steps):
    axis = TimeAxis()
    for name, first, second in steps:
        match name:
            case "zoom":
                axis.zoom(first, second)
            case "pan":
                axis.pan(first)
            case "length":
                axis.set_length(first, keep_view=second)
            case "follow":
                axis.follow(first)
            case "select":
                axis.select(first, second)
            case "fit":
                axis.fit()
            case "between":
                axis.show_between(first, second)
        slack = 1e-9 * max(1.0, axis.length)
        assert -slack <= axis.start <= axis.stop <= axis.length + slack
        assert axis.span >= min(0.002, axis.length) - slack


def axis_of(length):
    axis = TimeAxis()
    axis.set_length(length, keep_view=False)
    return axis


@given(st.floats(1.1, 20), st.floats(0.0, 100))
def test_zooming_keeps_the_place_under_the_cursor(factor, around):
    axis = axis_of(100.0)
    axis.zoom(factor, around)
    assert axis.span == pytest.approx(100 / factor)
    part = (around - axis.start) / axis.span
    assert part == pytest.approx(around / 100, abs=1e-6)


def test_a_view_of_the_whole_grows_along_and_another_stays(qtbot):
    axis = axis_of(4.0)
    axis.set_length(6.0, keep_view=True)
    assert (axis.start, axis.stop) == (0.0, 6.0)
    axis.show_between(1.0, 2.0)
    with qtbot.assertNotEmitted(axis.view_changed):
        axis.set_length(8.0, keep_view=True)
    axis.set_length(3.0, keep_view=False)  # another take
    assert (axis.start, axis.stop) == (0.0, 3.0)


def test_following_turns_the_page_only_at_its_end(qtbot):
    axis = axis_of(100.0)
    axis.show_between(10.0, 20.0)
    with qtbot.assertNotEmitted(axis.view_changed):
        axis.follow(19.9)
    axis.follow(20.1)
    assert axis.start < 20.1 < axis.start + 0.1 * axis.span
    axis.follow(99.9)
    assert axis.stop == pytest.approx(100.0)


def test_selecting_works_in_both_directions_and_a_click_selects_nothing(qtbot):
    axis = axis_of(10.0)
    with qtbot.waitSignal(axis.selection_changed):
        axis.select(7.0, 3.0)
    assert axis.selection == (3.0, 7.0)
    axis.select(4.0, 4.001)
    assert axis.selection is None
    axis.select(-5.0, 50.0)
    assert axis.selection == (0.0, 10.0)
