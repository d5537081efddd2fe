"""Made again: the same samples from the same model here; else what differs, and how far apart the samples are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.core.messages import Job
from app.core.reproduce import Difference, NotReproducibleError, compare, job_of, reproduce
from app.core.resources import default_model_folder
from app.core.take_store import TakeLibrary
from app.core.takes import Take, TakeState, TakeStore
from app.engine.fake import FakeEngine, FakeModel
from tests.app.takes.makers import MODEL, made, opened


def loaded(folder: str = "m") -> tuple[FakeEngine, object]:
    engine = FakeEngine(models={"other": FakeModel(output_rate=24000)})
    return engine, engine.load(folder, "cpu", "auto", lambda f: None, lambda: False)


def run(engine, info, job: Job, stop_after: int | None = None) -> tuple[Take, ...]:
    store = TakeStore()
    takes = store.open_job(job, info)
    for chunk in engine.stream(job, lambda: stop_after is not None and takes[0].patches >= stop_after):
        store.take_in(chunk)
    return takes


def test_the_whole_press_is_made_again_and_the_row_is_compared():
    engine, info = loaded()
    takes = run(engine, info, Job(7, "Good evening.", seed=5, takes=3, steps=4, cfg=1.5))
    comparison, again = reproduce(takes[2], engine, info)
    assert comparison.identical and comparison.differences == () and comparison.largest == 0
    assert comparison.compared == comparison.samples_now == len(takes[2].samples)
    assert engine.jobs[1] == replace(engine.jobs[0], job_id=1) and again.row == 2


def test_a_take_that_was_stopped_is_made_only_as_far():
    engine, info = loaded()
    engine._model.patches = None
    (take,) = run(engine, info, Job(1, "Never ending.", seed=5), stop_after=4)
    assert take.state is TakeState.STOPPED
    comparison, again = reproduce(take, engine, info)
    assert comparison.identical and comparison.compared == len(take.samples) == len(again.samples)


def test_other_samples_are_told_with_their_distance():
    engine, info = loaded()
    (take,) = run(engine, info, Job(1, "Good evening.", seed=5))
    (other,) = run(engine, info, Job(1, "Good evening.", seed=5))
    other._samples.view()  # a copy is changed below
    louder = replace(other.result, samples=other.samples * 1.01)
    changed = Take(**{**{f: getattr(other, f) for f in ("take_id", "number", "row", "job", "model")},
                      "sample_rate": 48000, "frame_rate": 25.0, "patch_size": 4, "state": TakeState.DONE})  # fmt: skip
    changed.fill(louder.samples, other.latents, louder)
    comparison = compare(take, changed)
    assert not comparison.identical and comparison.differences == ()
    assert comparison.level == pytest.approx(-40, abs=0.1)
    assert comparison.largest == pytest.approx(0.01 * np.abs(take.samples).max(), rel=0.01)


def test_everything_that_differs_is_listed():
    (before,) = made("One.")
    (now,) = made("One.", model=replace(
        MODEL, device="cuda", dtype="bfloat16", threads=8, library="lib 2", machine="arm", fingerprint="cd" * 32
    ))  # fmt: skip
    rows = (replace(now.result.batch[0], voice="other", steps=20),)
    now.result = replace(now.result, text="1.", lora="xy", batch=rows)
    found = {one.name: (one.before, one.now) for one in compare(before, now).differences}
    assert found == {
        "fingerprint": ("ab" * 32, "cd" * 32),
        "device": ("cpu", "cuda"),
        "dtype": ("float32", "bfloat16"),
        "threads": ("3", "8"),
        "library": ("lib 1", "lib 2"),
        "machine": ("x86", "arm"),
        "text": ("One.", "1."),
        "lora": ("", "xy"),
        "voice": ("None", "other"),
        "batch.steps": ("10", "20"),
    }
    alone = replace(now, result=replace(now.result, batch=(*rows, *rows)))
    assert Difference("batch", "1", "2") in compare(before, alone).differences


def test_another_rate_is_not_compared():
    engine, info = loaded()
    (take,) = run(engine, info, Job(1, "Good evening.", seed=5))
    other, there = loaded("other")
    comparison, _ = reproduce(take, other, there)
    assert not comparison.identical and comparison.level is None and comparison.compared == 0
    assert Difference("output_rate", "48000", "24000") in comparison.differences


def test_what_was_not_read_cannot_be_made_again(tmp_path):
    with opened(tmp_path / "data") as store:
        library = TakeLibrary(store)
        (take,) = made()
        library.add(take)
        with pytest.raises(NotReproducibleError, match="read"):
            job_of(library.get(take.uid), 3)
        assert job_of(library.filled(take.uid), 3) == replace(take.job, job_id=3)


def test_the_real_model_makes_the_same_samples_and_the_rows_matter(tmp_path: Path) -> None:
    from app.engine.local import LocalEngine

    engine = LocalEngine()
    try:
        info = engine.load(str(default_model_folder()), "cpu", "float32", lambda f: None, lambda: False)
        assert info.threads >= 1 and "torch" in info.library and info.machine
        takes = run(engine, info, Job(1, "Good evening.", seed=5, takes=2, max_patches=6))
        stopped = run(engine, info, Job(1, "Good evening to you all.", seed=6), stop_after=3)
        with opened(tmp_path / "data") as store:
            library = TakeLibrary(store)
            for take in (*takes, *stopped):
                library.add(take)
            for take in (*takes, *stopped):
                comparison, _ = reproduce(library.filled(take.uid), engine, info)
                assert comparison.identical, comparison
                assert comparison.differences == ()
            first = library.filled(takes[0].uid)
        first.job = replace(first.job, takes=1)  # as if it had been made alone
        assert Difference("batch", "2", "1") in reproduce(first, engine, info)[0].differences
    finally:
        engine.close()
