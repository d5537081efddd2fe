"""No take is lost with the window: all come back at the next start, are found, binned, put back and made again."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import soundfile
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QPushButton

from app.core.messages import Consent, VoiceSpec
from app.core.store import Store
from app.core.take_store import TakeLibrary
from app.core.takes import TakeMarks, TakeState
from tests.app.takes.makers import made

DATA = ("data", "library")


def _start(make_studio, **options):
    """Start, and wait for model and restored takes."""
    studio = make_studio(**options)
    with studio.qtbot.waitSignals([studio.application.autosave.restored, studio.engine.model_loaded]):
        studio.application.show()
    return studio


def _library(tmp_path):
    """Look into the library as another program."""
    store = Store.open(tmp_path.joinpath(*DATA), find_keyring=lambda: None)
    return store, TakeLibrary(store)


def _kept(tmp_path, **more) -> list[str]:
    store, library = _library(tmp_path)
    with store:
        return [take.job.text for take in library.page(**more).takes]


def _shown(studio) -> list[str]:
    model = studio.takes_panel.model
    return [model.take_at(model.index(row)).job.text for row in range(model.rowCount())]


def _select(studio, take):
    with studio.qtbot.waitSignal(studio.application.autosave.done):
        studio.takes_panel.select(take)
    studio.qtbot.waitUntil(lambda: not take.is_unread)


def _settled(studio, *takes):
    studio.qtbot.waitUntil(lambda: all(take.kept for take in takes or studio.store.takes))


def test_takes_come_back_marked_and_can_be_heard_saved_and_used(make_studio, tmp_path):
    studio = _start(make_studio)
    studio.compose.takes.setValue(2)
    first = studio.generate("Good evening.")
    samples, latents, seed = first[1].samples.copy(), first[1].latents.copy(), first[1].seed
    studio.window.close()
    assert studio.application.ended_cleanly
    assert len(_kept(tmp_path)) == 2

    studio = _start(make_studio)
    model = studio.takes_panel.model
    assert [model.take_at(model.index(row)).row for row in range(model.rowCount())] == [0, 1]
    take = studio.store.takes[1]
    assert "restored" in model.subtitle(take)
    assert f"seed {seed}" in model.subtitle(take)
    assert take.is_unread and take.uid == first[1].uid
    assert take.seconds == pytest.approx(len(samples) / take.sample_rate)
    _select(studio, take)
    assert np.array_equal(take.samples, samples)
    assert np.array_equal(take.latents, latents)
    assert studio.takes_panel.save_button.isEnabled()
    with studio.qtbot.waitSignal(studio.window._saver.saved, timeout=60000):  # the watermark is loaded first
        studio.window.save_take(take, str(tmp_path / "again.wav"))
    assert soundfile.info(tmp_path / "again.wav").frames == len(samples)
    other = studio.store.takes[0]
    assert other.is_unread
    with studio.qtbot.waitSignal(studio.window._saver.saved, timeout=60000):  # it is read first
        studio.window.save_take(other, str(tmp_path / "other.wav"))
    assert soundfile.info(tmp_path / "other.wav").frames == len(first[0].samples)
    studio.takes_panel.seed_button.click()
    assert studio.compose.seed.seed == seed

    (new, _) = studio.generate("And now?")
    assert model.take_at(model.index(0)) is new
    assert new.number == 1
    studio.window.menus.actions["pick_2"].trigger()
    assert studio.takes_panel.current.job is new.job
    studio.window.close()
    assert len(_kept(tmp_path)) == 4  # those that were restored are not written again


def test_what_is_being_made_when_the_window_closes_is_kept_too(make_studio, tmp_path):
    studio = _start(make_studio)
    studio.fake._model.patches = None
    studio.fake.step_delay = 0.005
    studio.generate("Never ending.", wait=False)
    studio.qtbot.waitUntil(lambda: studio.store.takes[0].seconds > 0)
    studio.window.close()
    assert studio.application.ended_cleanly
    studio = _start(make_studio)
    (take,) = studio.store.takes
    assert take.state is TakeState.STOPPED
    assert take.seconds > 0


def test_more_than_a_page_comes_as_the_list_is_scrolled(make_studio, tmp_path):
    store, library = _library(tmp_path)
    with store:
        for number in range(120):
            library.add(made(f"Take {number}.", length=50, seed=number)[0])
    studio = _start(make_studio)
    expected = [f"Take {number}." for number in reversed(range(120))]
    assert _shown(studio)[:100] == expected[:100]
    studio.takes_panel.list.scrollToBottom()
    studio.qtbot.waitUntil(lambda: _shown(studio) == expected)
    assert not studio.takes_panel.model.has_more


def test_search_goes_through_the_whole_library(make_studio, tmp_path):
    store, library = _library(tmp_path)
    with store:
        for number in range(110):
            library.add(made("The night train." if number == 3 else f"Take {number}.", length=50, seed=number)[0])
    studio = _start(make_studio)
    studio.generate("A train of thought.")
    _settled(studio)
    assert "The night train." not in _shown(studio)
    QTest.keyClicks(studio.takes_panel.search, "train")
    studio.qtbot.waitUntil(lambda: _shown(studio) == ["A train of thought.", "The night train."])
    _select(studio, studio.takes_panel.model.take_at(studio.takes_panel.model.index(1)))
    studio.takes_panel.search.setText("nothing like it")
    studio.qtbot.waitUntil(lambda: _shown(studio) == [])
    assert "No take has" in studio.takes_panel._empty.text()
    studio.generate("Something new.")  # what is being made is seen
    assert studio.takes_panel.search.text() == "" and _shown(studio)[0] == "Something new."


def test_bin_undo_and_emptying(make_studio, tmp_path):
    studio = _start(make_studio)
    for text in ("One.", "Two.", "Three."):
        studio.generate(text)
    _settled(studio)
    panel, done = studio.takes_panel, studio.application.autosave.done
    two = studio.store.takes[1]
    panel.select(two)
    panel.list.setFocus()
    with studio.qtbot.waitSignal(done):
        QTest.keyClick(panel.list, Qt.Key.Key_Delete)
    assert _shown(studio) == ["Three.", "One."] and panel.current.job.text == "One."
    assert _kept(tmp_path, binned=True) == ["Two."]
    with studio.qtbot.waitSignal(done):
        studio.window.menus.actions["undo_bin"].trigger()
    assert _shown(studio) == ["Three.", "Two.", "One."] and panel.current is two
    assert _kept(tmp_path, binned=True) == []
    for button in (panel.move_button, panel.move_button):  # Two., then One.
        with studio.qtbot.waitSignal(done):
            button.click()
    studio.window.close()

    studio = _start(make_studio)
    panel, done = studio.takes_panel, studio.application.autosave.done
    assert _shown(studio) == ["Three."] and not panel.empty_button.isVisible()
    with studio.qtbot.waitSignal(studio.application.autosave.page_shown):
        panel.bin_button.click()
    assert _shown(studio) == ["Two.", "One."] and panel.empty_button.isVisible()
    panel.select(studio.store.takes[0])
    assert panel.move_button.text() == "Put back"
    with studio.qtbot.waitSignal(done):
        panel.move_button.click()
    assert _shown(studio) == ["Two."]
    _answer(studio, panel.empty_button.click, "Cancel")
    assert _kept(tmp_path, binned=True) == ["Two."]
    studio.qtbot.waitUntil(lambda: not studio.window.findChildren(QMessageBox))
    with studio.qtbot.waitSignal(done):
        _answer(studio, panel.empty_button.click, "Empty")
    assert _shown(studio) == [] and _kept(tmp_path, binned=True) == []
    assert "bin is empty" in panel._empty.text()
    panel.bin_button.click()
    assert _shown(studio) == ["Three.", "One."] and _kept(tmp_path) == ["Three.", "One."]


def test_stars_favourite_and_note_are_kept(make_studio, tmp_path):
    studio = _start(make_studio)
    (take,) = studio.generate("Good evening.")
    _settled(studio)
    marks, done = studio.takes_panel.marks, studio.application.autosave.done
    marks.rating.setCurrentIndex(4)
    with studio.qtbot.waitSignal(done):
        marks.rating.activated.emit(4)
    with studio.qtbot.waitSignal(done):
        marks.favourite.click()
    marks.note.setFocus()
    QTest.keyClicks(marks.note, "the warm one")
    with studio.qtbot.waitSignal(done):
        QTest.keyClick(marks.note, Qt.Key.Key_Return)
    studio.qtbot.waitUntil(lambda: take.marks == TakeMarks(4, True, "the warm one"))
    assert "★★★★" in studio.takes_panel.model.subtitle(take)
    studio.window.close()
    studio = _start(make_studio)
    studio.takes_panel.select(studio.store.takes[0])
    marks = studio.takes_panel.marks
    assert marks.rating.currentIndex() == 4 and marks.favourite.isChecked() and marks.note.text() == "the warm one"


def test_a_note_goes_to_the_take_that_it_was_written_for(make_studio):
    studio = _start(make_studio)
    (first,) = studio.generate("One.")
    _settled(studio)
    note = studio.takes_panel.marks.note
    note.setFocus()
    QTest.keyClicks(note, "of the first")
    (second,) = studio.generate("Two.")  # the new take is chosen while the note is still being written
    assert studio.takes_panel.current is second
    studio.qtbot.waitUntil(lambda: first.marks.note == "of the first")
    assert note.text() == "" and second.marks == TakeMarks()


def test_the_same_take_made_again_is_told_and_not_kept_twice(make_studio, tmp_path):
    studio = _start(make_studio)
    studio.compose.takes.setValue(3)
    takes = studio.generate("Good evening.")
    _settled(studio)
    studio.window.close()
    studio = _start(make_studio)
    take = studio.store.takes[1]
    assert take.uid == takes[1].uid
    _select(studio, take)
    with studio.qtbot.waitSignal(studio.engine.job_ended):
        studio.takes_panel.reproduce_button.click()
    assert f"{len(take.samples)} samples are equal" in studio.window.notice.message
    assert studio.fake.jobs[-1].takes == 3 and studio.fake.jobs[-1].seed == takes[0].job.seed
    assert len(studio.store.takes) == 3 and studio.takes_panel.current is take
    studio.window.close()
    assert len(_kept(tmp_path)) == 3


def test_another_take_made_again_is_told_and_kept(make_studio, tmp_path):
    studio = _start(make_studio)
    (take,) = studio.generate("Good evening.")
    _settled(studio)
    studio.fake._model.patches = 5
    with studio.qtbot.waitSignal(studio.engine.job_ended):
        studio.window.menus.actions["reproduce"].trigger()
    assert "Another take came out" in studio.window.notice.message
    assert "then" in studio.window.notice._details.toPlainText()
    other = studio.store.takes[1]
    assert other.reproduces == take.uid and not other.pending
    _settled(studio)
    studio.window.close()
    store, library = _library(tmp_path)
    with store:
        assert [each.reproduces for each in library.page().takes] == [take.uid, ""]


def test_a_stopped_take_is_made_again_only_as_far(make_studio):
    studio = _start(make_studio)
    studio.fake._model.patches = None
    studio.fake.step_delay = 0.002
    studio.generate("Never ending.", wait=False)
    studio.qtbot.waitUntil(lambda: studio.store.takes[0].seconds > 0.5)
    with studio.qtbot.waitSignal(studio.engine.job_ended):
        studio.compose.stop.click()
    with studio.qtbot.waitSignal(studio.engine.job_ended, timeout=20000):
        studio.takes_panel.reproduce_button.click()
    assert "samples are equal" in studio.window.notice.message


def test_takes_of_the_folders_of_earlier_versions_come_in_once(make_studio, tmp_path):
    from tests.app.takes.old_folders import write_folder

    old = tmp_path.joinpath(*DATA) / "autosave"
    first, second = made("Old one.", takes=2)
    write_folder(old, first, "20200101T000000.000000Z-1-a")
    write_folder(old, second, "20200101T000000.000000Z-2-b")
    write_folder(old, made("No consent.", voice=VoiceSpec("a.wav"))[0], "20200102T000000.000000Z-1-c")
    studio = _start(make_studio)
    assert [take.row for take in studio.store.takes] == [0, 1] and _shown(studio) == ["Old one.", "Old one."]
    _select(studio, studio.store.takes[1])
    assert np.array_equal(studio.store.takes[1].samples, second.samples)
    assert [path.name[-1] for path in old.iterdir()] == ["c"]  # nothing without its origin
    studio.window.close()
    assert len(_kept(tmp_path)) == 2


def test_a_damaged_file_costs_only_its_own_take_and_is_told(make_studio, tmp_path):
    studio = _start(make_studio)
    studio.generate("One.")
    studio.generate("Two, which is longer.")
    studio.window.close()
    store, library = _library(tmp_path)
    with store:
        uid = library.page().takes[1].uid
        (name,) = store.blobs.used_by(f"take:{uid}")
    damaged = next(tmp_path.joinpath(*DATA).glob(f"blobs/*/{name}"))
    os.truncate(damaged, damaged.stat().st_size - 100)
    studio = _start(make_studio)
    one, two = studio.store.takes
    with studio.qtbot.waitSignal(studio.application.autosave.read_failed):
        studio.takes_panel.select(one)
    studio.qtbot.waitUntil(lambda: "cannot be read" in studio.window.notice.message)
    assert not studio.takes_panel.save_button.isEnabled()
    _select(studio, two)


def test_a_folder_that_cannot_be_written_is_told_once_and_nothing_breaks(make_studio, tmp_path):
    folder = tmp_path.joinpath(*DATA)
    folder.parent.mkdir(parents=True)
    folder.write_text("")  # a file in its place
    studio = make_studio().show()
    with studio.qtbot.waitSignal(studio.application.autosave.write_failed):
        (take,) = studio.generate("Good evening.")
    studio.qtbot.waitUntil(lambda: "cannot be kept for the next start" in studio.window.notice.message)
    assert str(folder) in studio.window.notice.message
    assert take.state is TakeState.DONE and not studio.takes_panel.marks.isEnabled()
    studio.window.notice.close_button.click()
    with studio.qtbot.waitSignal(studio.application.autosave.write_failed):
        studio.generate("Again.")
    assert studio.window.notice.message == ""
    assert len(studio.store.takes) == 2


def test_keys_that_do_not_last_are_told(make_studio, tmp_path):
    studio = _start(make_studio)
    (take,) = made("Mine.", voice=VoiceSpec("a.wav", consent=Consent.attest("self")))
    studio.store.restore([take])
    with studio.qtbot.waitSignal(studio.application.autosave.not_lasting):
        studio.store.tell(take)
    studio.qtbot.waitUntil(lambda: "only lasts until the program ends" in studio.window.notice.message)


def _answer(studio, ask, answer):
    ask()
    (question,) = studio.window.findChildren(QMessageBox)
    (button,) = (button for button in question.findChildren(QPushButton) if answer in button.text())
    button.click()


def test_forget_all_takes_asks_and_then_deletes_here_and_on_the_disk(make_studio, tmp_path):
    studio = _start(make_studio)
    studio.generate("One.")
    studio.window.close()
    studio = _start(make_studio)
    studio.generate("Two.")
    _settled(studio)
    forget = studio.window.menus.actions["forget"].trigger
    _answer(studio, forget, "Cancel")
    assert len(studio.store.takes) == 2
    studio.qtbot.waitUntil(lambda: not studio.window.findChildren(QMessageBox))
    with studio.qtbot.waitSignal(studio.application.autosave.done):
        _answer(studio, forget, "Forget")
    assert studio.store.takes == ()
    assert studio.takes_panel.current is None
    assert studio.takes_panel.model.rowCount() == 0
    assert _kept(tmp_path) == []
    studio.generate("Three.")
    studio.window.close()
    assert _kept(tmp_path) == ["Three."]


def test_forgetting_leaves_what_is_being_made(make_studio, tmp_path):
    studio = _start(make_studio)
    studio.fake._model.patches = None
    studio.fake.step_delay = 0.005
    studio.generate("Never ending.", wait=False)
    studio.qtbot.waitUntil(lambda: studio.store.takes[0].seconds > 0)
    studio.window.take_control.forget()
    (take,) = studio.store.takes
    assert take.is_growing
    with studio.qtbot.waitSignal(studio.engine.job_ended):
        studio.compose.stop.click()
    studio.window.close()
    assert _kept(tmp_path) == ["Never ending."]


def test_two_windows_share_the_library(make_studio, tmp_path):
    first, second = _start(make_studio), _start(make_studio)
    first.generate("From the first.")
    second.generate("From the second.")
    _settled(first)
    _settled(second)
    assert sorted(_kept(tmp_path)) == ["From the first.", "From the second."]
    with second.qtbot.waitSignal(second.application.autosave.page_shown):
        second.takes_panel.search.setText("from the")
    assert len(_shown(second)) == 2


def test_nothing_of_the_takes_runs_in_the_thread_of_the_window(make_studio, tmp_path, monkeypatch):
    import threading

    from app.core.store.database import Database

    threads = set()
    session = Database._session
    monkeypatch.setattr(Database, "_session", lambda self: (threads.add(threading.current_thread()), session(self))[1])
    studio = _start(make_studio)
    studio.generate("Good evening.")
    _settled(studio)
    with studio.qtbot.waitSignal(studio.application.autosave.page_shown):
        studio.takes_panel.search.setText("evening")
    assert threads and threading.main_thread() not in threads
    assert Path(studio.application.autosave.folder) == tmp_path.joinpath(*DATA)
