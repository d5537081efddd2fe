"""The dialogs of complaints, saved data and help: nothing cut off, hard to read or untranslated."""

import pytest

from app.core.consent.record import OTHER
from app.dialogs.help_dialog import TOPICS
from tests.app.voices.makers import NOW, Clock, new_voice, opened, place
from tests.e2e import looks

OWN = ["Ada Bo They object SHA", "fake device demo voice", "KiB MiB"]
LONG = 60_000


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_every_dialog_of_saved_data_looks_right(make_studio, tmp_path, theme, language):
    folder = tmp_path / "data" / "library"
    clock = Clock(NOW)
    with place(folder, clock) as here:
        voice = here.voices.add(new_voice(kind=OTHER, now=NOW))
        here.store.wait_for_maintenance()
    studio = make_studio(data_folder=folder, now=clock)
    studio.application.library.__dict__["store"] = opened(folder)
    studio.show()
    application = studio.application
    application.settings.set("theme", theme)
    application.language.use(language)
    found = []

    def look(name, dialog):
        studio.qtbot.wait(300)  # layouts settle over several rounds
        seen = looks.clipped(dialog) + looks.hard_to_read(dialog)
        if language == "zh_CN":
            ids = [each.complaint_id for each in application.library.complaints.all()]
            seen += looks.untranslated(dialog, [*OWN, str(folder), voice.voice_id, *ids])
        found.extend(f"{name}: {each}" for each in seen)

    def wait(true):
        studio.qtbot.waitUntil(lambda: bool(true()), timeout=LONG)

    application.takedown.open(voice)
    dialog = application.takedown.dialog
    wait(lambda: dialog._derived is not None)
    look("complaint", dialog)
    dialog.text.setPlainText("They object.")
    dialog.freeze.click()
    wait(lambda: dialog.pages.currentIndex() == 1)
    look("frozen", dialog)
    application.takedown._delete(voice.voice_id)
    wait(lambda: dialog.pages.currentIndex() == 2)
    look("deleted", dialog)
    dialog.close()
    application.data.show()
    dialog = application.data.dialog
    wait(lambda: dialog._state.backups)
    dialog.check.click()
    wait(lambda: dialog._health is not None)
    look("data", dialog)
    dialog.close()
    for topic in TOPICS:
        application.show_help(topic)
        look(topic, application.help)
    assert found == []
