"""The windows beside the main one, models and settings, and the effect of what is changed in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from app.audio.portaudio import AudioDevice
from app.audio.recorder import Recorder
from app.core.messages import Failure, ModelInfo
from app.core.models import same_folder
from app.core.settings import Settings
from app.dialogs.model_manager import ModelManager
from app.dialogs.settings_dialog import SettingsDialog
from app.downloads import Downloads
from app.engine.worker import EngineWorker
from app.menus import Menus
from app.model_control import ModelControl
from app.model_facts import ModelFacts
from app.panels.compose_panel import ComposePanel
from app.panels.player_panel import PlayerPanel
from app.widgets.notice import Notice


class DialogControl(QObject):
    """Owns downloads and dialogs, and brings changed settings to the widgets that show the same thing."""

    def __init__(
        self,
        settings: Settings,
        engine: EngineWorker,
        models: ModelControl,
        menus: Menus,
        compose: ComposePanel,
        player_panel: PlayerPanel,
        recorder: Recorder,
        notice: Notice,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._settings, self._engine, self._models, self._menus = settings, engine, models, menus
        self._notice, self._window = notice, window
        self.downloads = Downloads(settings, self)
        self.facts = ModelFacts(self)
        self._manager: ModelManager | None = None
        self._settings_dialog: SettingsDialog | None = None
        advanced = compose.advanced
        self.effects: dict[str, Callable[[], object]] = {
            "takes": lambda: compose.takes.setValue(settings.get("takes")),
            "steps": lambda: advanced.steps.setValue(settings.get("steps")),
            "retries": lambda: advanced.retries.setValue(settings.get("retries")),
            "own_sampling": lambda: advanced.own.setChecked(settings.get("own_sampling")),
            "cfg": lambda: advanced.cfg.setValue(settings.get("cfg")),
            "temperature": lambda: advanced.temperature.setValue(settings.get("temperature")),
            "min_patches": lambda: advanced.min_patches.setValue(settings.get("min_patches")),
            "retry_ratio": lambda: advanced.retry_ratio.setValue(settings.get("retry_ratio")),
            "max_patches": lambda: advanced.max_patches.setValue(settings.get("max_patches")),
            "normalize": lambda: advanced.normalize.setChecked(settings.get("normalize")),
            "play_while_made": lambda: player_panel.while_made.setChecked(settings.get("play_while_made")),
            "load_at_start": lambda: menus.actions["load_at_start"].setChecked(settings.get("load_at_start")),
            "theme": lambda: menus.show_choice("theme", settings.get("theme")),
            "language": lambda: menus.show_choice("language", settings.get("language")),
            "open_folder": lambda: self._use_open_folder(compose),
            "output_device": lambda: player_panel.transport.use_device(settings.get("output_device")),
            "input_device": lambda: recorder.use_device(settings.get("input_device")),
            "device": models.place_changed,
            "dtype": models.place_changed,
            "model_folder": models.folder_setting_changed,
        }
        settings.on_changed(self._setting_changed)
        menus.actions["models"].triggered.connect(lambda: self.show_models())
        menus.actions["settings"].triggered.connect(lambda: self.show_settings())
        models.button.manage_requested.connect(self.show_models)
        engine.load_started.connect(lambda folder: self._show_model(None))
        engine.model_loaded.connect(self._show_model)
        engine.unloaded.connect(lambda: self._show_model(None))
        engine.lora_changed.connect(lambda lora: self._show_lora())
        engine.lora_failed.connect(self._lora_failed)
        engine.crashed.connect(notice.show_failure)
        self.downloads.arrived.connect(self._arrived)
        self.facts.known.connect(self._facts_known)
        self._player, self._recorder = player_panel.player, recorder

    @property
    def manager(self) -> ModelManager:
        """The window of the models."""
        if self._manager is None:
            manager = ModelManager(self._settings, self.downloads, self.facts, self._models.bundled, self._window)
            manager.load_requested.connect(self._models.open)
            manager.unload_requested.connect(self._engine.unload)
            manager.browse_requested.connect(self._models.browse)
            manager.settings_requested.connect(self.show_settings)
            manager.lora.browse_requested.connect(self._browse_lora)
            manager.lora.lora_requested.connect(self._models.use_lora)
            manager.show_model(self._engine.model)
            manager.show_lora(self._engine.lora)
            self._manager = manager
        return self._manager

    @property
    def settings_dialog(self) -> SettingsDialog:
        """The window of the settings."""
        if self._settings_dialog is None:
            self._settings_dialog = SettingsDialog(
                self._settings,
                self._menus.actions,
                self._window,
                {
                    "output_device": lambda: _named(self._player.devices()),
                    "input_device": lambda: _named(self._recorder.devices()),
                    "device": self._graphics_cards,
                },
            )
        return self._settings_dialog

    def show_models(self, greeting: bool = False) -> None:
        """Open the window of the models, with a greeting at the first start."""
        self.manager.greet(greeting)
        _bring(self.manager)

    def show_settings(self) -> None:
        """Open the window of the settings."""
        _bring(self.settings_dialog)

    def close(self) -> None:
        """Stop downloads and questions; the downloads go on at the next start."""
        self.downloads.close()
        self.facts.close()
        for dialog in (self._manager, self._settings_dialog):
            if dialog is not None:
                dialog.close()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _graphics_cards(self) -> list[tuple[str, str]]:
        """Cards beyond the first, which has a choice of its own; they are looked for when a model is looked at."""
        machine = self.facts.machine
        if machine is None:
            self.facts.ask(self._models.folder)
            return []
        cards = [device.name for device in machine.devices if device.name.startswith("cuda:")]
        return [(name, self.tr("NVIDIA graphics card {number}").format(number=int(name[5:]) + 1)) for name in cards[1:]]

    def _facts_known(self, folder: str) -> None:
        if self._settings_dialog is not None and self._settings_dialog.isVisible():
            self._settings_dialog.offer()

    def _setting_changed(self, key: str) -> None:
        if key in self.effects:
            self.effects[key]()

    def _use_open_folder(self, compose: ComposePanel) -> None:
        for panel in (compose.clone, compose.continue_):
            panel.drop.start_folder = self._settings.get("open_folder")

    def _show_model(self, model: ModelInfo | None) -> None:
        if self._manager is not None:
            self._manager.show_model(model)

    def _show_lora(self) -> None:
        if self._manager is not None:
            self._manager.show_lora(self._engine.lora)

    def _lora_failed(self, failure: Failure) -> None:
        self._show_lora()
        if self._manager is not None and self._manager.isVisible():
            self._manager.lora.show_failure(failure)
        else:
            self._notice.show_failure(failure)

    def _arrived(self, name: str, folder: str) -> None:
        text = self.tr("{name} is here. Load it from the button at the top right or under File, Models.")
        self._notice.show_notice(text.format(name=name))
        recent = [entry for entry in self._settings.get("recent_models") if not same_folder(entry, folder)]
        self._settings.set("recent_models", [folder, *recent])

    def _browse_lora(self) -> None:
        dialog = QFileDialog(self.manager, self.tr("Choose the folder of a LoRA"), self._settings.get("open_folder"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda folder: self._models.use_lora(folder, 1.0))
        dialog.open()


def _named(devices: Sequence[AudioDevice]) -> list[tuple[str, str]]:
    return [(device.key, f"{device.name} ({device.host})") for device in devices]


def _bring(dialog: QWidget) -> None:
    dialog.show()
    dialog.activateWindow()
