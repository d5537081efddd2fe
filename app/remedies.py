"""What is offered when a model has no room, when its engine died, and when nobody knows its pickled weights."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject

from app.core.messages import ModelInfo
from app.core.settings import Settings
from app.engine.pickles import allow
from app.engine.worker import EngineWorker
from app.model_control import ModelControl
from app.tasks import TaskQueue
from app.widgets.notice import ALLOW, HALF, PROCESSOR, Notice


class Remedies(QObject):
    """Tells ``notice`` what would still help, and does what is chosen: the model is loaded again at once."""

    def __init__(
        self,
        settings: Settings,
        engine: EngineWorker,
        models: ModelControl,
        notice: Notice,
        tasks: TaskQueue,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._settings, self._engine, self._models, self._notice = settings, engine, models, notice
        self._tasks = tasks
        self._ran: ModelInfo | None = None
        engine.model_loaded.connect(self._loaded)
        engine.load_started.connect(self._another)
        notice.remedies = self.left
        notice.remedy_requested.connect(self.use)

    def left(self) -> tuple[str, ...]:
        """What has not been done yet, for the model that ran last, else as the settings say."""
        ran = self._ran
        device = ran.device if ran is not None else self._settings.get("device")
        dtype = ran.dtype if ran is not None else self._settings.get("dtype")
        return tuple(
            name
            for name, possible in ((HALF, dtype in ("auto", "float32")), (PROCESSOR, not device.startswith("cpu")))
            if possible
        )

    def use(self, name: str) -> None:
        """Do it."""
        if name == ALLOW:
            self._allow()
            return
        key, value = ("dtype", "bfloat16") if name == HALF else ("device", "cpu")
        self._settings.set(key, value)
        self._load()

    def _load(self) -> None:
        if not self._engine.is_loading and self._engine.model is None:
            self._models.load_chosen()

    def _allow(self) -> None:
        assert self._notice.failure is not None
        file = Path(self._notice.failure.path)
        self._tasks.start(lambda: allow(file), self._allowed, lambda error: self._notice.show_notice(str(error)))

    def _allowed(self, names: list[str]) -> None:
        self._notice.show_notice(self.tr("These files are read from now on: {names}.").format(names=", ".join(names)))
        self._load()

    def _loaded(self, model: ModelInfo) -> None:
        self._ran = model

    def _another(self, folder: str) -> None:
        if self._ran is not None and self._ran.folder != folder:
            self._ran = None
