"""A LoRA chosen in the window: it changes the sound, its strength counts, off is off, and a person's needs the door."""

import uuid

import numpy as np
import pytest
import torch

from app.core.door import Door
from app.core.engine_api import EngineError
from app.core.messages import Job
from app.core.models import default_model_dir
from app.engine.local import LocalEngine
from tests.app.voices.makers import place
from voxcpm.lora import LoRAConfig, LoRAWeights, LowRank, save_lora


def never():
    return False


def wanted(seed=3):
    return Job(job_id=1, text="Good evening to you.", seed=seed, max_patches=4)


def latents(engine, job=None):
    *_, last = engine.stream(job or wanted(), never)
    return last.result.latents


def save(folder, engine, consent=(), rank=4):
    """Write a LoRA with noise for some of the layers of the loaded model."""
    places = engine._model._adapters._places
    noise = torch.Generator().manual_seed(rank)
    layers = {
        name: LowRank(
            torch.randn(rank, place.inputs, generator=noise),
            torch.randn(place.stop - place.start, rank, generator=noise),
        )
        for name, place in list(places.items())[:6]
    }
    save_lora(folder, LoRAWeights(folder.name, LoRAConfig(r=rank, alpha=rank), layers, (), "tiny-v2", tuple(consent)))
    return str(folder)


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    with place(tmp_path_factory.mktemp("data")) as opened:
        yield opened


@pytest.fixture(scope="module")
def engine(here):
    engine = LocalEngine(lambda: Door(here.voices))
    engine.load(str(default_model_dir()), "cpu", "auto", lambda fraction: None, never)
    yield engine
    engine.close()


@pytest.fixture(autouse=True)
def off(engine):
    yield
    engine.use_lora("", 1.0)


def test_choosing_strength_and_off_reach_the_sound(engine, tmp_path):
    base = latents(engine)
    path = save(tmp_path / "warm", engine)
    info = engine.use_lora(path, 1.0)
    assert (info.name, info.rank, info.strength, info.layers, info.of_a_person) == ("warm", 4, 1.0, 6, False)
    full = latents(engine)
    assert not np.array_equal(full, base)
    assert engine.use_lora(path, 0.25).strength == 0.25
    quarter = latents(engine)
    assert not np.array_equal(quarter, full) and not np.array_equal(quarter, base)
    assert engine.use_lora(path, 1.0) is not None
    assert np.array_equal(latents(engine), full)
    assert engine.use_lora("", 1.0) is None
    assert np.array_equal(latents(engine), base)


def test_what_cannot_be_used_changes_nothing(engine, tmp_path):
    path = save(tmp_path / "good", engine)
    engine.use_lora(path, 1.0)
    before = latents(engine)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "lora_weights.safetensors").write_bytes(b"not a LoRA")
    for other, strength in ((str(tmp_path / "broken"), 1.0), (str(tmp_path / "gone"), 1.0), (path, 9.0)):
        with pytest.raises(EngineError):
            engine.use_lora(other, strength)
        assert np.array_equal(latents(engine), before)


def test_the_voice_of_a_person_is_asked_for_at_the_door_now_and_at_every_job(engine, here, tmp_path):
    base = latents(engine)
    unknown = save(tmp_path / "unknown", engine, consent=(str(uuid.uuid4()),), rank=2)
    with pytest.raises(EngineError) as refused:
        engine.use_lora(unknown, 1.0)
    assert refused.value.failure.code == "consent.missing"
    assert np.array_equal(latents(engine), base)

    voice = here.add(name="Bo")
    record_id = here.voices.versions(voice.voice_id)[-1].record_id
    mine = save(tmp_path / "mine", engine, consent=(record_id,), rank=3)
    assert engine.use_lora(mine, 1.0).of_a_person
    assert not np.array_equal(latents(engine), base)
    assert here.events("adapter_loaded")[-1]["purpose"] == "generate"
    here.voices.withdraw(voice.voice_id)
    with pytest.raises(EngineError) as refused:
        latents(engine)
    assert refused.value.failure.code == "consent.withdrawn"


def test_a_file_that_was_changed_meanwhile_is_read_again(engine, tmp_path):
    path = save(tmp_path / "changing", engine)
    engine.use_lora(path, 1.0)
    before = latents(engine)
    save(tmp_path / "changing", engine, rank=5)
    assert not np.array_equal(latents(engine), before)


def test_warming_up_leaves_no_trace(engine):
    before = latents(engine)
    state = torch.random.get_rng_state()
    engine.warm_up(never)
    engine.warm_up(lambda: True)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert np.array_equal(latents(engine), before)
