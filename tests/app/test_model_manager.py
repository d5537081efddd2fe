"""The window of the models: what is offered at the first start, the card, memory, device, LoRA, unloading."""

import re
import shutil
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication

from app.core.memory_need import Device, Machine, Size
from app.core.messages import Failure
from app.core.models import begun_bytes, default_model_dir, default_models_folder, read_card
from app.core.published_models import PUBLISHED
from app.downloads import DownloadState
from tests.voxcpm.hub_server import HubServer

CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.fixture
def manager(studio, tmp_path):
    studio.settings.set("models_folder", str(tmp_path / "downloaded"))
    studio.window.dialogs.show_models()
    return studio.window.dialogs.manager


def lines(manager):
    return [manager.list.item(row).text() for row in range(manager.list.count())]


def machine(free, bfloat16=True):
    return Machine("cpu", bfloat16, (Device("cpu", 16_000_000_000, free),))


def test_the_first_start_offers_the_bundled_model_at_once_and_the_others_with_sizes_and_room(make_studio, tmp_path):
    studio = make_studio()
    studio.settings.set("welcomed", False)
    studio.show()
    manager = studio.window.dialogs.manager
    assert manager.isVisible() and not manager.isModal() and manager.greeting.isVisible()
    studio.generate()  # the bundled model speaks meanwhile
    shown = lines(manager)
    assert read_card(default_model_dir()).name in shown[0]
    assert "loaded" in shown[0]
    assert [line.split("\n")[0] for line in shown[1:4]] == ["VoxCPM2", "VoxCPM1.5", "VoxCPM-0.5B"]
    assert "5.0 GB" in shown[1] and "GB" in manager.room.text()
    assert studio.settings.get("welcomed")


def test_a_later_start_does_not(studio):
    assert studio.window.dialogs._manager is None


def test_the_card_says_what_is_claimed_and_what_is_not_known(manager):
    manager.list.setCurrentRow(1)
    values = {key: label.text() for key, label in manager.card.values.items()}
    assert "claimed by its makers" in values["languages"] and "unverified" in values["languages"]
    assert "not published" in values["training"] and "Apache-2.0" in values["licence"]
    assert values["sound"] == "16 kHz in, 48 kHz out"
    assert not manager.load.isVisible() and manager.fetch.isVisible()


def test_memory_is_computed_for_this_machine_before_anything_is_loaded(manager, studio):
    bundled = str(default_model_dir())
    studio.qtbot.waitUntil(lambda: manager.facts.is_known(bundled), timeout=60000)
    assert "Computed, not measured" in manager.card.values["memory"].text()  # of the real machine, by the real child
    manager.list.setCurrentRow(1)
    manager.facts.machine = machine(8_000_000_000)
    manager.refresh()
    text = manager.card.values["memory"].text()
    assert text.startswith("5.0 GB for the weights (bfloat16 on cpu)")
    assert not manager.card.values["memory"].property("problem")
    studio.settings.set("dtype", "float32")
    text = manager.card.values["memory"].text()
    assert text.startswith("Too little memory is free. 9.5 GB") and "8.0 GB of 16.0 GB" in text
    assert manager.card.values["memory"].property("problem")
    studio.settings.set("device", "cuda")
    assert "no such device" in manager.card.values["memory"].text()


def test_device_and_precision_reach_the_engine_and_load_the_model_again(manager, studio):
    for box, value in ((manager.dtype, "int8"), (manager.device, "cuda"), (manager.dtype, "bfloat16")):
        with studio.qtbot.waitSignal(studio.engine.model_loaded):
            box.setCurrentIndex(box.findData(value))
            box.activated.emit(box.currentIndex())
    assert next(place for place in studio.fake.places if place[1] == "int8") == ("auto", "int8")
    assert studio.fake.places[-1] == ("cuda", "bfloat16")
    assert "cuda bfloat16" in studio.window.status.model_label.text()


def test_unloading_frees_the_model_and_generate_brings_it_back(manager, studio):
    with studio.qtbot.waitSignal(studio.engine.unloaded):
        manager.unload.click()
    assert studio.fake.closed and "No model" in studio.window.status.model_label.text()
    assert manager.load.isVisible() and not manager.unload.isVisible()
    assert not manager.lora.choose.isEnabled()
    studio.generate()
    assert studio.store.takes and manager.unload.isVisible()


def test_a_model_is_fetched_paused_and_loaded_from_the_window(manager, studio, tmp_path):
    with HubServer("openbmb/VoxCPM2", default_model_dir()) as server:
        studio.settings.set("mirror", server.endpoint)
        manager.list.setCurrentRow(1)
        server.status["model.safetensors"] = [503] * 50
        manager.fetch.click()
        assert manager.fetch.text() == "Pause" and manager.progress.isVisible()
        downloads = studio.window.dialogs.downloads
        studio.qtbot.waitUntil(lambda: downloads.of("VoxCPM2").done > 0, timeout=30000)
        manager.fetch.click()
        studio.qtbot.waitUntil(lambda: downloads.of("VoxCPM2").state is DownloadState.PAUSED, timeout=30000)
        assert manager.fetch.text() == "Go on" and "paused" in lines(manager)[1]
        server.status.clear()
        with studio.qtbot.waitSignal(downloads.arrived, timeout=30000):
            manager.fetch.click()
    assert "VoxCPM2 is here" in studio.window.notice.message
    assert manager.load.isVisible() and "on this machine" in lines(manager)[1]
    manager.check.click()
    studio.qtbot.waitUntil(lambda: "checked" in lines(manager)[1], timeout=30000)
    with studio.qtbot.waitSignal(studio.engine.model_loaded):
        manager.load.click()
    assert studio.fake.loads[-1] == str(tmp_path / "downloaded" / "VoxCPM2")


def test_offline_says_so_beside_the_model(manager, studio):
    manager.offline.click()
    assert studio.settings.get("offline")
    manager.list.setCurrentRow(2)
    manager.fetch.click()
    assert "offline" in manager.problem.text() and not studio.window.dialogs.downloads._commands


def test_a_lora_is_chosen_set_and_taken_away(manager, studio, tmp_path):
    box = manager.lora
    with studio.qtbot.waitSignal(studio.engine.lora_changed):
        studio.window.models.use_lora("/loras/warm", 1.0)
    assert box.name.text() == "warm" and "changes 24 layers" in box.facts.text()
    with studio.qtbot.waitSignal(studio.engine.lora_changed):
        box.strength.setValue(0.5)
    assert studio.fake.loras[-1] == ("/loras/warm", 0.5)
    with studio.qtbot.waitSignals([studio.engine.model_loaded, studio.engine.lora_changed]):
        studio.window.models.load_chosen()  # the same model again: the LoRA comes along
    assert studio.fake.loras[-1] == ("/loras/warm", 0.5)
    studio.fake.lora_failure = Failure("Nobody has agreed.", "consent", code="consent.missing")
    with studio.qtbot.waitSignal(studio.engine.lora_failed):
        studio.window.models.use_lora("/loras/other", 1.0)
    assert box.name.text() == "warm" and "Nobody has agreed." in box.problem.text()
    studio.fake.lora_failure = None
    with studio.qtbot.waitSignal(studio.engine.lora_changed):
        box.off.click()
    assert studio.fake.loras[-1][0] == "" and box.name.text() == "None in use"


def test_another_model_starts_without_the_lora_of_the_one_before(manager, studio, model_folder):
    with studio.qtbot.waitSignal(studio.engine.lora_changed):
        studio.window.models.use_lora("/loras/warm", 1.0)
    studio.open_model(model_folder("other"))
    count = len(studio.fake.loras)
    studio.generate()
    assert len(studio.fake.loras) == count and manager.lora.name.text() == "None in use"


def test_when_the_engine_dies_it_is_told_and_the_part_is_kept(studio):
    studio.fake._model.patches = None
    studio.fake.crash_at_patch = 3
    with studio.qtbot.waitSignal(studio.engine.model_loaded):
        studio.generate("Never ending.", wait=False)
    studio.fake.crash_at_patch = None
    assert studio.store.takes[0].seconds > 0 and studio.store.takes[0].end == "failed"
    assert "SystemExit" in studio.window.notice.message
    studio.fake._model.patches = 3
    studio.generate("Again.")
    assert studio.store.takes[-1].end == "stopped"


def test_everything_is_said_in_chinese_too(manager, studio):
    studio.window.menus.actions["language_zh_CN"].trigger()
    studio.qtbot.waitUntil(lambda: manager.windowTitle() == "模型")
    for row in range(4):
        manager.list.setCurrentRow(row)
        for key in ("licence", "languages", "training", "memory"):
            assert CHINESE.search(manager.card.values[key].text()), key
        assert CHINESE.search(lines(manager)[row])
    assert CHINESE.search(manager.lora.facts.text()) and CHINESE.search(manager.device.itemText(1))


def test_the_menu_and_the_button_open_it(studio):
    studio.window.menus.actions["models"].trigger()
    manager = studio.window.dialogs.manager
    assert manager.isVisible()
    manager.close_button.click()
    assert not manager.isVisible()
    action = next(a for a in studio.window.models.button.choices.actions() if "downloads" in a.text())
    action.trigger()
    assert manager.isVisible()
    manager.more.click()
    assert studio.window.dialogs.settings_dialog.isVisible()
    assert QApplication.activeModalWidget() is None


def test_what_the_core_knows_of_models_is_what_the_library_knows(tmp_path):
    from voxcpm import hub

    assert {model.name: model.repo for model in PUBLISHED} == {one.name: one.repo for one in hub.MODELS.values()}
    assert default_models_folder() == hub.models_folder()
    assert begun_bytes(tmp_path, "VoxCPM2") == 0
    (tmp_path / ".VoxCPM2.part").mkdir()
    (tmp_path / ".VoxCPM2.part" / "x.incomplete").write_bytes(b"12345")
    assert begun_bytes(tmp_path, "VoxCPM2") == 5
    shutil.copytree(default_model_dir(), tmp_path / "VoxCPM2")
    (tmp_path / "VoxCPM2" / "model_card.json").unlink()
    assert "claimed by its makers" in read_card(tmp_path / "VoxCPM2").languages


@pytest.mark.parametrize("model", PUBLISHED, ids=lambda model: model.name)
def test_sizes_of_published_models_are_counted_from_their_configs(model):
    import json

    import torch

    from tests.conftest import parity_dir
    from voxcpm.config import VoxCPMConfig
    from voxcpm.model import VoxCPMModel
    from voxcpm.vae.audio_vae import AudioVAE

    path = parity_dir() / "real_configs" / f"{model.name}.json"
    if not path.is_file():
        pytest.skip("the published configs are not beside this checkout")
    config = VoxCPMConfig.from_dict(json.loads(path.read_text(encoding="utf-8")))
    with torch.device("meta"):
        parts = VoxCPMModel(config), AudioVAE(config.audio_vae_config)
    counted = [sum(tensor.numel() for tensor in part.parameters()) for part in parts]
    assert counted == [model.parameters, model.codec_parameters]
    caches = [
        2 * lm.num_hidden_layers * lm.num_key_value_heads * lm.head_dim * config.max_length
        for lm in (config.lm_config, config.residual_lm_config)
    ]
    assert sum(caches) == model.context_numbers
    vae = config.audio_vae_config
    assert (vae.sample_rate, vae.output_rate) == (model.encode_rate, model.output_rate)


def test_the_precision_that_is_computed_with_is_the_one_the_library_chooses():
    import torch

    from app.core.memory_need import need
    from voxcpm.devices import choose_dtype, describe_machine, dtype_name

    here = Machine.from_dict(describe_machine())
    for stored in ("float32", "bfloat16"):
        chosen = choose_dtype("auto", torch.device(here.device), getattr(torch, stored))
        assert need(Size(10, 1, 5, stored), here).dtype == dtype_name(chosen)
    assert need(Size(10, 1, 5, "bfloat16"), machine(100), dtype="float32").weights == 44
    assert need(Size(10, 1, 5, "bfloat16"), machine(100), "cuda") is None
    eight = need(Size(10, 1, 5, "bfloat16"), machine(100), dtype="int8")
    assert (eight.dtype, eight.weights, eight.context) == ("int8", 17, 20)
    half = need(Size(10, 1, 5, "bfloat16"), replace(machine(100), half_weights=True), dtype="bfloat16")
    assert (half.weights, half.context) == (24, 20)


def test_the_need_of_8_bits_is_not_told_too_low():
    from app.core.memory_need import need
    from app.core.resources import default_model_folder
    from voxcpm.inspection import inspect_folder
    from voxcpm.pipeline import VoxCPM

    size = Size.from_info(inspect_folder(default_model_folder()).to_dict())
    told = need(size, machine(10**9), dtype="int8")
    held = VoxCPM.load(default_model_folder(), device="cpu", dtype="int8").info.weight_bytes
    assert 0.9 * held <= told.weights <= 1.3 * held
