"""The whole widget tree, every panel, both languages and themes: nothing cut off, hard to read or untranslated."""

import pytest
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from tests.e2e import looks

OWN = ["Good evening. speech wav fake device demo voice What is said", "Demo Awb Rms Slt Scottish US low high"]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_every_panel_looks_right(studio, speech, theme, language):
    studio.window.resize(1280, 860)
    studio.compose.takes.setValue(3)
    studio.generate()
    for key in ("clone", "continue"):
        studio.window.rail_button(key).click()
        studio.drop(studio.compose.panel.drop, speech)
    studio.window.menus.actions[f"language_{language}"].trigger()
    studio.window.menus.actions[f"theme_{theme}"].trigger()
    words = {"en": "Generate", "zh_CN": "生成"}
    studio.qtbot.waitUntil(lambda: studio.compose.generate.text() == words[language])
    own = [*OWN, studio.engine.model.folder, str(speech)]
    for key in ("design", "clone", "continue", "dub", "voices"):
        studio.window.rail_button(key).click()
        studio.qtbot.wait(300)  # layouts settle over several rounds
        found = looks.clipped(studio.window) + looks.hard_to_read(studio.window)
        if language == "zh_CN":
            found += looks.untranslated(studio.window, own)
        assert found == [], key


@pytest.fixture
def page(qtbot):
    widget = QWidget()
    widget.layout_ = QVBoxLayout(widget)
    qtbot.addWidget(widget)
    return widget


def show(page, qtbot, *widgets):
    for widget in widgets:
        page.layout_.addWidget(widget)
    page.resize(300, 200)
    page.show()
    qtbot.waitExposed(page)


def test_a_critical_eye_sees_what_is_cut_off(page, qtbot):
    narrow = QLabel("far too long for the room that it has")
    narrow.setFixedWidth(60)
    show(page, qtbot, narrow, QLabel("short"), QPushButton("Press"))
    (found,) = looks.clipped(page)
    assert "far too long" in found


def test_a_critical_eye_sees_what_is_hard_to_read(page, qtbot):
    pale = QLabel("pale on white", styleSheet="color: #aaaaaa; background: #ffffff")
    fine = QLabel("black on white", styleSheet="color: #000000; background: #ffffff")
    show(page, qtbot, pale, fine)
    (found,) = looks.hard_to_read(page)
    assert "pale on white" in found


def test_a_critical_eye_sees_what_is_not_translated(page, qtbot):
    show(page, qtbot, QLabel("保存"), QLabel("Save now"), QLabel("WAV 文件"), QLabel("my own words"))
    (found,) = looks.untranslated(page, ["my own words"])
    assert "Save now" in found
