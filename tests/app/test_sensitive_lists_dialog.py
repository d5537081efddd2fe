"""One's own lines of sensitive words in the window: tried, refused with their line, saved, and in force at once."""

import pytest

from app.core import sensitive_lists
from app.core.sensitive_lists import read_own, write_own
from app.core.sensitive_review import findings_of


@pytest.fixture(autouse=True)
def own_settings(tmp_path, monkeypatch):
    monkeypatch.setattr(sensitive_lists, "default_settings_file", lambda: tmp_path / "config" / "settings.json")


@pytest.fixture
def dialog(studio):
    write_own("[news]\nmoon cheese\n")
    settings = studio.window.dialogs.settings_dialog
    settings.show()
    settings.sensitive_button.click()
    return settings.sensitive_dialog


def test_own_lines_are_shown_tried_and_saved(dialog):
    assert dialog.own.toPlainText() == "[news]\nmoon cheese\n"
    assert all(view.isReadOnly() and view.toPlainText() for view in dialog._shipped)
    dialog.attempt.setText("The moon cheese is ripe.")
    assert "moon cheese" in dialog.answer.text()
    dialog.own.setPlainText("[news]\nmars cheese\n")
    assert "moon" not in dialog.answer.text() and dialog.answer.text()
    dialog.save.click()
    assert read_own() == "[news]\nmars cheese\n"
    assert findings_of(["Mars cheese!"]) and not findings_of(["Moon cheese!"])


def test_a_line_that_cannot_be_understood_is_named_and_not_saved(dialog):
    dialog.own.setPlainText("[news]\nx\n[moon]\n")
    assert "3" in dialog.problem.text() and not dialog.save.isEnabled()
    dialog.own.setPlainText("[news]\nx\n")
    assert dialog.problem.text() == "" and dialog.save.isEnabled()
    dialog.cancel.click()
    assert read_own() == "[news]\nmoon cheese\n"


def test_a_disk_that_refuses_is_told_and_the_dialog_stays(dialog, monkeypatch):
    def full(path, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sensitive_lists, "write_atomically", full)
    dialog.save.click()
    assert "No space left" in dialog.problem.text() and dialog.isVisible()
