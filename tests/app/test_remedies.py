"""What is offered when the model has no room, and what pressing it does."""

import shutil
from pathlib import Path

import pytest
import torch

from app.core.engine_api import EngineDied
from app.core.messages import Failure
from app.widgets.notice import ALLOW, HALF, PROCESSOR
from tests.voxcpm.conftest import checkpoint

MEMORY = Failure("There is not enough memory for this.", code="memory")


def offered(studio):
    return {name for name, button in studio.window.notice.remedy_buttons.items() if button.isVisible()}


def test_half_the_precision_and_the_processor_are_offered_as_long_as_they_help(make_studio):
    studio = make_studio()
    studio.settings.set("device", "cuda")
    studio.show()
    studio.window.notice.show_failure(MEMORY)
    assert offered(studio) == {HALF, PROCESSOR}
    with studio.qtbot.waitSignal(studio.engine.model_loaded):
        studio.window.notice.remedy_buttons[HALF].click()
    assert studio.fake.places[-1] == ("cuda", "bfloat16") and studio.window.notice.message == ""
    studio.window.notice.show_failure(MEMORY)
    assert offered(studio) == {PROCESSOR}
    with studio.qtbot.waitSignal(studio.engine.model_loaded):
        studio.window.notice.remedy_buttons[PROCESSOR].click()
    assert studio.fake.places[-1] == ("cpu", "bfloat16")
    studio.window.notice.show_failure(MEMORY)
    assert offered(studio) == set()


def test_nothing_is_offered_for_other_failures(studio):
    studio.window.notice.show_failure(MEMORY)
    assert offered(studio) == {HALF}
    studio.window.notice.show_failure(Failure("The audio is silent.", code="audio.silent"))
    assert offered(studio) == set()


def test_a_model_that_had_no_room_is_loaded_with_what_was_chosen(make_studio):
    studio = make_studio()
    studio.fake.load_failure = MEMORY
    with studio.qtbot.waitSignal(studio.engine.load_failed):
        studio.application.show()
    assert HALF in offered(studio)
    studio.fake.load_failure = None
    with studio.qtbot.waitSignal(studio.engine.model_loaded):
        studio.window.notice.remedy_buttons[HALF].click()
    assert studio.fake.places[-1][1] == "bfloat16"


@pytest.mark.parametrize("code", ["crash.memory", "crash.hung", "crash"])
def test_an_engine_that_died_is_told_its_part_kept_and_the_next_one_takes_over(make_studio, fake_engine, code):
    studio = make_studio().show()
    stream = fake_engine.stream

    def die(job, is_cancelled):
        for chunk in stream(job, is_cancelled):
            if chunk.patch == 3:
                raise EngineDied(Failure("The engine has died.", code=code))
            yield chunk

    fake_engine.stream = die
    with studio.qtbot.waitSignals([studio.engine.crashed, studio.engine.model_loaded]):
        studio.generate(wait=False)
    (take,) = studio.store.takes
    assert take.patches == 3 and not take.is_growing
    assert studio.window.notice.message == "The engine has died." and offered(studio) == {HALF}
    studio.qtbot.waitUntil(lambda: take.kept)
    fake_engine.stream = stream
    (again,) = studio.generate()
    assert again.result.end == "stopped"


def test_one_that_dies_with_every_job_is_there_again_every_time(make_studio, fake_engine):
    def die(job, is_cancelled):
        raise EngineDied(Failure("The engine has died.", code="crash"))
        yield

    fake_engine.stream = die
    studio = make_studio().show()
    for count in (2, 3, 4):
        with studio.qtbot.waitSignal(studio.engine.model_loaded):
            studio.compose.text.setPlainText("Good evening.")
            studio.compose.generate.click()
        assert len(fake_engine.loads) == count


def test_one_that_dies_before_it_has_done_anything_is_not_started_for_ever(make_studio, fake_engine):
    def die(is_cancelled):
        raise EngineDied(Failure("The engine has died.", code="crash"))

    fake_engine.warm_up = die
    studio = make_studio()
    with studio.qtbot.waitSignal(studio.engine.load_failed):
        studio.application.show()
    assert len(fake_engine.loads) == 3 and studio.engine.model is None


def test_a_save_is_asked_again_of_the_engine_that_follows(make_studio, fake_engine, tmp_path):
    studio = make_studio().show()
    (take,) = studio.generate()
    real, asked = fake_engine.watermark, []

    def once():
        asked.append(1)
        if len(asked) == 1:
            raise EngineDied(Failure("The engine has died.", code="crash"))
        return real()

    fake_engine.watermark = once
    path = tmp_path / "saved.wav"
    with studio.qtbot.waitSignal(studio.window._saver.saved, timeout=60000):
        studio.window.save_take(take, str(path))
    assert path.stat().st_size > 1000 and len(asked) >= 2


def test_a_save_over_which_the_engine_dies_each_time_is_told(make_studio, fake_engine, tmp_path):
    studio = make_studio().show()
    (take,) = studio.generate()

    def die():
        raise EngineDied(Failure("The engine has died.", code="crash"))

    fake_engine.watermark = die
    with studio.qtbot.waitSignal(studio.window._saver.failed, timeout=60000) as told:
        studio.window.save_take(take, str(tmp_path / "saved.wav"))
    assert "The engine has died." in told.args[2]


def test_pickled_weights_that_nobody_knows_are_refused_allowed_and_loaded(make_studio, tmp_path):
    folder = Path(shutil.copytree(checkpoint("tiny-v1"), tmp_path / "from elsewhere"))
    weights = torch.load(folder / "audiovae.pth", weights_only=True)
    next(iter(weights["state_dict"].values())).add_(1e-3)
    torch.save(weights, folder / "audiovae.pth")
    studio = make_studio(engine_factory=None)
    studio.settings.set("model_folder", str(folder))
    with studio.qtbot.waitSignal(studio.engine.load_failed):
        studio.application.show()
    notice = studio.window.notice
    assert offered(studio) == {ALLOW} and "Audiovae.pth" in notice.message and "pickled" in notice.message
    with studio.qtbot.waitSignal(studio.engine.model_loaded) as loaded:
        notice.remedy_buttons[ALLOW].click()
    assert loaded.args[0].folder == str(folder) and "audiovae.pth" in notice.message and offered(studio) == set()
