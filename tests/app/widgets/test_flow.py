"""The row that goes on in the next line."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QPushButton, QWidget

from app.widgets.flow import FlowLayout


@pytest.fixture
def row(qtbot):
    holder = QWidget()
    qtbot.addWidget(holder)
    layout = FlowLayout(holder)
    buttons = [QPushButton("x" * length) for length in (3, 12, 5, 20, 1)]
    for button in buttons:
        layout.addWidget(button)
    holder.show()
    return layout, buttons, holder  # the holder goes, and all with it, when nobody holds it


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(200, 1500))
def test_nothing_overlaps_or_sticks_out_and_the_height_is_as_told(row, width):
    layout, buttons, _ = row
    layout.setGeometry(QRect(0, 0, width, 1000))
    places = [button.geometry() for button in buttons]
    for number, place in enumerate(places):
        assert place.right() < width
        assert not any(place.intersects(other) for other in places[number + 1 :])
    assert max(place.bottom() for place in places) + 1 == layout.heightForWidth(width)
    order = [(place.center().y(), place.x()) for place in places]
    assert order == sorted(order)


def test_what_is_hidden_takes_no_room_and_one_line_is_enough_where_there_is_room(row):
    layout, buttons, _ = row
    whole = layout.sizeHint().width()
    assert layout.heightForWidth(whole) == max(button.sizeHint().height() for button in buttons)
    assert layout.heightForWidth(whole - 1) > layout.heightForWidth(whole)
    buttons[3].hide()
    assert layout.sizeHint().width() < whole
    assert layout.count() == 5 and layout.takeAt(9) is None and layout.itemAt(-1) is None
    assert layout.takeAt(4).widget() is buttons[4] and layout.count() == 4
