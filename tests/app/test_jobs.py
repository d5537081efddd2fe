"""The queue of jobs in the real window: a second Generate waits, order, cancel, retry, and how long it takes."""

import pytest

from app.core.forecast import Forecast
from app.core.job_queue import JobQueue, JobState, QueuedJob
from app.core.messages import Failure, Job
from app.core.takes import TakeState
from tests.app.takes.makers import MODEL, made


@pytest.fixture
def busy(studio):
    """A job that never ends runs, and three wait."""
    studio.fake._model.patches = None
    studio.fake.step_delay = 0.005
    studio.generate("Never ending.", wait=False)
    studio.qtbot.waitUntil(lambda: studio.store.takes[0].seconds > 0)
    for text in ("One.", "Two.", "Three."):
        studio.compose.text.setPlainText(text)
        studio.compose.generate.click()
    return studio


def texts(studio):
    return [entry.job.text for entry in studio.window.jobs.queue.waiting]


def end(studio):
    """Let everything end by itself."""
    studio.fake._model.patches = 2
    studio.compose.stop.click()
    studio.qtbot.waitUntil(lambda: studio.engine.job is None and not studio.window.jobs.queue.waiting)


def choose(studio, row):
    studio.window.jobs.panel.list.setCurrentRow(row)


def test_a_second_generate_waits_and_nothing_mixes(busy):
    assert texts(busy) == ["One.", "Two.", "Three."]
    panel = busy.window.jobs.panel
    assert panel.isVisible() and panel.list.count() == 4
    assert "being made" in panel.list.item(0).text() and "waiting" in panel.list.item(1).text()
    assert "Jobs that wait: 3" in busy.compose.reason.text()
    end(busy)
    assert [job.text for job in busy.fake.jobs] == ["Never ending.", "One.", "Two.", "Three."]
    assert [take.job.text for take in busy.store.takes] == ["Never ending.", "One.", "Two.", "Three."]
    assert [take.state for take in busy.store.takes][1:] == [TakeState.DONE] * 3
    assert len({take.job.seed for take in busy.store.takes}) == 4


def test_order_can_be_changed(busy):
    panel = busy.window.jobs.panel
    choose(busy, 3)
    panel.earlier.click()
    assert texts(busy) == ["One.", "Three.", "Two."]
    choose(busy, 1)
    assert not panel.earlier.isEnabled()
    panel.later.click()
    assert texts(busy) == ["Three.", "One.", "Two."]
    end(busy)
    assert [job.text for job in busy.fake.jobs][1:] == ["Three.", "One.", "Two."]


def test_a_job_that_waits_and_the_one_that_runs_can_be_cancelled(busy):
    panel = busy.window.jobs.panel
    choose(busy, 2)
    panel.cancel.click()
    assert texts(busy) == ["One.", "Three."]
    busy.fake._model.patches = 2
    choose(busy, 0)
    panel.cancel.click()
    busy.qtbot.waitUntil(lambda: busy.engine.job is None and not texts(busy))
    assert busy.store.takes[0].state is TakeState.STOPPED and busy.store.takes[0].seconds > 0
    assert [job.text for job in busy.fake.jobs] == ["Never ending.", "One.", "Three."]


def test_a_failed_job_can_be_tried_again(studio):
    studio.fake.fail_at_patch = 1
    studio.generate("Good evening.")
    panel = studio.window.jobs.panel
    assert panel.isVisible() and "failed" in panel.list.item(0).text()
    studio.fake.fail_at_patch = None
    choose(studio, 0)
    with studio.qtbot.waitSignal(studio.engine.job_ended):
        panel.retry.click()
    assert studio.store.takes[-1].state is TakeState.DONE and studio.fake.jobs[-1].text == "Good evening."
    assert panel.isHidden()


def test_what_waits_takes_nobody_away_from_what_is_heard(busy):
    first = busy.store.takes[0]
    busy.player.play()
    busy.fake._model.patches = 2
    jobs = busy.window.jobs
    jobs.cancel(jobs.queue.running)  # the button Stop ends the sound as well
    busy.qtbot.waitUntil(lambda: len(busy.store.takes) > 1)
    assert busy.takes_panel.current is first
    end(busy)


def test_jobs_that_wait_for_a_model_that_cannot_be_loaded_can_be_tried_again(make_studio, fake_engine):
    fake_engine.load_failure = Failure("No.", "")
    fake_engine.load_delay = 0.3
    studio = make_studio().show(wait_for_model=False)
    studio.compose.text.setPlainText("Early bird.")
    with studio.qtbot.waitSignal(studio.engine.load_failed):
        studio.compose.generate.click()
    fake_engine.load_failure = None
    choose(studio, 0)
    with studio.qtbot.waitSignal(studio.engine.job_ended):
        studio.window.jobs.panel.retry.click()
    assert [take.job.text for take in studio.store.takes] == ["Early bird."]


def test_the_queue_tells_how_long_it_takes(busy):
    jobs = busy.window.jobs
    jobs._speed = 2.0
    for take in [take for seed in range(3) for take in made("Good evening.", seed=seed)]:
        take.model = busy.engine.model
        jobs.forecast.learn(take)
    jobs._show_waits()
    assert "takes about" in jobs.panel.list.item(1).text()
    end(busy)


def test_a_draft_is_made_with_few_steps_and_rendered_in_full_with_its_seed(studio):
    studio.compose.advanced.draft.setChecked(True)
    studio.compose.seed.set_seed(77)
    (draft,) = studio.generate()
    assert draft.job.steps == 4 and studio.compose.advanced.steps.value() == 10
    assert studio.takes_panel.full_button.isVisible()
    with studio.qtbot.waitSignal(studio.engine.job_ended):
        studio.takes_panel.full_button.click()
    assert (studio.fake.jobs[-1].steps, studio.fake.jobs[-1].seed, studio.fake.jobs[-1].takes) == (10, 77, 1)
    assert "may differ" in studio.window.notice.message
    assert draft in studio.store.takes
    studio.takes_panel.select(studio.store.takes[-1])
    assert not studio.takes_panel.full_button.isVisible()


def test_the_settings_of_a_take_are_copied(studio):
    compose = studio.compose
    compose.design.edit.setText("a child")
    compose.advanced.steps.setValue(25)
    compose.advanced.cfg.setValue(3.5)
    compose.advanced.max_patches.setValue(50)
    (take,) = studio.generate("Mind the gap.")
    before = studio.fake.jobs[-1]
    compose.design.edit.clear()
    compose.advanced.reset()
    compose.text.setPlainText("Else.")
    studio.takes_panel.settings_button.click()
    now = compose.job(before.job_id)
    assert now == before and compose.seed.is_locked and take.seed == now.seed


def test_settings_that_were_used_come_back(studio):
    advanced = studio.compose.advanced
    advanced.steps.setValue(25)
    studio.generate()
    advanced.reset()
    studio.generate()
    advanced._recent.aboutToShow.emit()
    newest, oldest = advanced._recent.actions()
    assert "10 steps" in newest.text() and "25 steps" in oldest.text()
    oldest.trigger()
    studio.generate()
    assert studio.fake.jobs[-1].steps == 25
    assert [values.steps for values in advanced.recent()] == [25, 10]


def test_the_paths_of_one_text_are_made_side_by_side(studio, speech):
    compose = studio.compose
    compose.text.setPlainText("Good evening.")
    compose.design.edit.setText("a child")
    studio.window.rail_button("clone").click()
    studio.drop(compose.clone.drop, speech)
    compose.clone.consent.own.click()
    compose.clone.consent.tick.click()
    compose.advanced.paths_button.click()
    studio.qtbot.waitUntil(lambda: len(studio.fake.jobs) == 3 and studio.engine.job is None, timeout=10000)
    assert [(job.description, job.mode) for job in studio.fake.jobs] == [
        ("", "design"), ("a child", "design"), ("", "reference"),
    ]  # fmt: skip
    assert len({job.seed for job in studio.fake.jobs}) == 1


def test_a_model_slower_than_real_time_is_called_that(studio):
    take = made()[0]
    take.model = studio.engine.model
    studio.window.jobs.forecast.learn(take)
    assert take.real_time_factor > 0
    plan = studio.compose.plan_strip
    with studio.qtbot.waitSignal(studio.engine.plan_ready):
        studio.compose.text.setPlainText("Good evening.")
    assert "Slower" not in plan.facts_label.text()
    assert "done in about" in plan.facts_label.text()
    studio.window.jobs.forecast = Forecast()
    studio.window.jobs._speed = 2.1
    with studio.qtbot.waitSignal(studio.engine.plan_ready):
        studio.compose.text.setPlainText("Good evening, all.")
    assert "Slower than real time here: a second of sound takes 2.1 s" in plan.facts_label.text()


def entry(text):
    return QueuedJob(Job(1, text))


def test_the_queue_runs_one_at_a_time():
    queue, told = JobQueue(), []
    queue.on_changed(lambda: told.append(len(queue.entries)))
    one, two = entry("1"), entry("2")
    queue.add(one)
    queue.add(two, first=True)
    assert queue.begin() is two and queue.begin() is None
    queue.end(two, JobState.FAILED, Failure("x"))
    assert queue.begin() is one
    queue.remove(one)
    assert queue.entries == (two, one)  # what runs cannot be taken out
    queue.end(one, None)
    queue.retry(two, 9)
    assert [waiting.job.job_id for waiting in queue.waiting] == [9] and queue.waiting[0].failure is None
    assert told == [1, 2, 2, 2, 2, 1, 0, 1] or told[-1] == 1


def test_the_forecast_goes_by_what_was_made_here():
    forecast = Forecast()
    job = Job(1, "Good evening, all of you.", steps=10)
    assert forecast.wait(MODEL, job) == 0 and forecast.seconds(MODEL, job) == 0
    for seed in range(3):
        (take,) = made("Good evening.", seed=seed)  # 5000 samples at 48 kHz for 11 letters, factor 0.25
        forecast.learn(take)
        forecast.learn(take)
    assert forecast.real_time_factor(MODEL, job) == pytest.approx(0.25)
    assert forecast.real_time_factor(MODEL, Job(1, "x", steps=20)) == pytest.approx(0.5)
    assert forecast.seconds(MODEL, job) == pytest.approx(5000 / 48000 / 11 * 19)
    assert forecast.wait(MODEL, job) == pytest.approx(0.25 * 5000 / 48000 / 11 * 19)
    from dataclasses import replace

    assert forecast.real_time_factor(replace(MODEL, device="cuda"), job) == 0
