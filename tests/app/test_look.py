"""Language and theme change while the window is shown; nothing is cut off at any scaling."""

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QAbstractButton, QLabel

from app.core.resources import resource_path
from app.style import DARK, LIGHT, colours_for


def test_chinese_is_switched_on_and_off_without_a_restart(studio):
    (take,) = studio.generate()
    studio.qtbot.waitUntil(lambda: studio.compose.generate.text() == "Generate")
    studio.window.menus.actions["language_zh_CN"].trigger()
    studio.qtbot.waitUntil(lambda: studio.compose.generate.text() == "生成")
    assert studio.window.rail_button("clone").text() == "克隆"
    assert "种子" in studio.takes_panel.model.subtitle(take)
    assert studio.settings.get("language") == "zh_CN"
    english = [
        widget.text()
        for kind in (QAbstractButton, QLabel)
        for widget in studio.window.findChildren(kind)
        if widget.isVisible()
        and any(word.isascii() and word.isalpha() and len(word) > 3 for word in widget.text().split())
    ]
    known = {"Good evening.", "FLAC", "WAV"}  # what the person wrote
    assert {text.strip() for text in english if "demo-voice" not in text} <= known
    studio.window.menus.actions["language_en"].trigger()
    studio.qtbot.waitUntil(lambda: studio.compose.generate.text() == "Generate")


def test_every_text_has_a_chinese_translation():
    source = resource_path("translations", "studio_zh_CN.ts").read_text(encoding="utf-8")
    assert source.count("<source>") > 150
    assert 'type="unfinished"' not in source
    assert "<translation></translation>" not in source


def test_placeholders_survive_translation():
    import re
    import xml.etree.ElementTree as ElementTree

    root = ElementTree.parse(resource_path("translations", "studio_zh_CN.ts"))
    for message in root.iter("message"):
        wanted = set(re.findall(r"{[^}]*}", message.findtext("source")))
        assert set(re.findall(r"{[^}]*}", message.findtext("translation"))) == wanted, message.findtext("source")


@pytest.mark.parametrize(("choice", "colours"), [("dark", DARK), ("light", LIGHT)])
def test_themes_change_palette_plots_and_icons(studio, choice, colours):
    studio.generate()
    other = "light" if choice == "dark" else "dark"
    studio.window.menus.actions[f"theme_{other}"].trigger()
    icon = studio.window.rail_button("design").icon().pixmap(QSize(32, 32)).toImage()
    studio.window.menus.actions[f"theme_{choice}"].trigger()
    assert studio.window.palette().color(QPalette.ColorRole.Window).name() == colours.window
    assert studio.window.rail_button("design").icon().pixmap(QSize(32, 32)).toImage() != icon
    pen = studio.window.player_panel.timeline.tracks.waveform._curve.opts["pen"]
    assert pen.color().name() == colours.accent
    grabbed = studio.window.grab().toImage()
    assert grabbed.pixelColor(3, grabbed.height() // 2).name() == colours.window


def test_follow_system_uses_the_systems_scheme(qapp):
    assert colours_for("system") in (LIGHT, DARK)


def _contrast(first, second):
    def luminance(colour):
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_text_can_be_read(colours):
    for text in (colours.text, colours.muted, colours.problem):
        for ground in (colours.window, colours.base):
            assert _contrast(text, ground) >= 4.5
    assert _contrast(colours.accent_text, colours.accent) >= 4.5
    assert _contrast(colours.muted, colours.raised) >= 4.5 and _contrast(colours.text, colours.raised) >= 4.5
    assert _contrast(colours.text, colours.notice) >= 4.5


def test_the_window_fits_a_small_screen(studio):
    """At 200 % a screen of 1920 x 1080 has 960 x 540 logical pixels, of which the desktop takes some."""
    for key in ("design", "clone", "continue"):
        studio.window.rail_button(key).click()
        studio.qtbot.wait(0)
        hint = studio.window.minimumSizeHint()
        assert hint.width() <= 940
        assert hint.height() <= 500
