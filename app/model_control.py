"""Which model is used: chosen, opened, remembered, loaded."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from app.core.messages import Failure, LoraInfo, ModelInfo
from app.core.models import default_model_dir, looks_like_model, same_folder
from app.core.settings import Settings
from app.engine.worker import EngineWorker
from app.widgets.model_button import MOST_RECENT, ModelButton
from app.widgets.notice import Notice
from app.widgets.status import StudioStatus


class ModelControl(QObject):
    """Follows the person's choice and the engine's loading, and says both in button, status bar and notice."""

    folder_changed = Signal()

    def __init__(
        self, settings: Settings, engine: EngineWorker, notice: Notice, status: StudioStatus, window: QWidget
    ) -> None:
        super().__init__(window)
        self._settings = settings
        self._engine = engine
        self._notice = notice
        self._status = status
        self._window = window
        bundled = default_model_dir()
        self.bundled = str(bundled) if bundled else ""
        self._lora = ("", 1.0)  # chosen for the folder that is open
        self._opening = False
        self.folder = ""
        self.button = ModelButton(self.bundled, lambda: list(settings.get("recent_models")))

    def choose(self, folder: str = "") -> None:
        """Take ``folder``, else the remembered model, else the bundled one, without loading it yet."""
        remembered = self._settings.get("model_folder")
        if not folder and remembered and not looks_like_model(Path(remembered)):
            self._notice.show_notice(
                self.tr("The model folder used last is gone: {folder}. Choose another one.").format(folder=remembered)
            )
            remembered = ""
        self.folder = folder or remembered or self.bundled
        self.button.set_folder(self.folder)
        self.folder_changed.emit()

    def load_chosen(self) -> None:
        """Begin to load the chosen model. Nobody asked just now, so what was said before stays to be read."""
        if self.folder and self._is_model(self.folder):
            self._load(self.folder)

    def open(self, folder: str) -> None:
        """Load the model in ``folder`` and remember it; says why when it is no model folder. Empty = the bundled."""
        folder = folder or self.bundled
        if self._is_model(folder):
            self._notice.hide()
            self._load(folder)

    def _is_model(self, folder: str) -> bool:
        if looks_like_model(Path(folder)):
            return True
        self._notice.show_notice(
            self.tr("{folder} is no model folder: it has no config.json.").format(folder=folder or "?")
        )
        return False

    def _load(self, folder: str) -> None:
        if not same_folder(folder, self.folder):
            self._lora = ("", 1.0)  # made for another model
        self.folder = folder
        bundled = same_folder(folder, self.bundled)
        self._opening = True
        self._settings.set("model_folder", "" if bundled else folder)
        self._opening = False
        if not bundled:
            recent = [entry for entry in self._settings.get("recent_models") if not same_folder(entry, folder)]
            self._settings.set("recent_models", [folder, *recent][:MOST_RECENT])
        self.button.set_folder(folder)
        self._engine.load(folder, self._settings.get("device"), self._settings.get("dtype"))

    def browse(self) -> None:
        """Ask for a model folder and open it."""
        dialog = QFileDialog(self._window, self.tr("Open a model folder"), self._settings.get("open_folder"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.open)
        dialog.open()

    def remember_load_at_start(self, wanted: bool) -> None:
        """Load the model at the next start, or wait until it is needed."""
        self._settings.set("load_at_start", wanted)

    def place_changed(self) -> None:
        """Another device or precision was chosen: load the model again, if one is loaded or on its way."""
        if self._engine.model is not None or self._engine.is_loading:
            self._notice.hide()
            self.load_chosen()

    def folder_setting_changed(self) -> None:
        """Another model was chosen in the settings."""
        if not self._opening:
            self.open(self._settings.get("model_folder"))

    def use_lora(self, path: str, strength: float) -> None:
        """Use a LoRA (empty: none) with the model that is loaded, and again when that is loaded anew."""
        self._engine.use_lora(path, strength)

    def lora_changed(self, lora: LoraInfo | None) -> None:
        """Remember what the engine took."""
        self._lora = (lora.path, lora.strength) if lora else ("", 1.0)

    def unloaded(self) -> None:
        """Show that no model is loaded."""
        self._status.show_model(None)
        self._status.show_idle(self.tr("The model is unloaded. It is loaded again when it is needed."))

    def load_started(self, folder: str) -> None:
        """Show that a model is being loaded."""
        self._status.show_loading(0.0)
        self._status.show_model(None)

    def loaded(self, model: ModelInfo) -> None:
        """Show what is loaded."""
        self._status.show_idle(self.tr("The model is ready."))
        self._status.show_model(model)
        if self._lora[0]:
            self._engine.use_lora(*self._lora)

    def load_failed(self, failure: Failure) -> None:
        """Say why no model is loaded."""
        self._status.show_idle(self.tr("The model could not be loaded."))
        self._notice.show_failure(failure)
