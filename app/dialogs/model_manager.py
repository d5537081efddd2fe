"""The models: those on this machine, those that can be fetched, and what is known of each. Not modal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.core.memory_need import Size
from app.core.messages import LoraInfo, ModelInfo
from app.core.models import ModelCard, free_bytes, read_card, same_folder
from app.core.published_models import PUBLISHED, PublishedModel
from app.core.settings import Settings
from app.core.settings_table import by_key
from app.downloads import Download, Downloads, DownloadState
from app.model_facts import ModelFacts
from app.widgets.lora_box import LoraBox
from app.widgets.model_button import card_name
from app.widgets.model_card import CardFacts, ModelCardView
from app.widgets.problem import Problem
from app.widgets.setting_field import setting_text
from app.widgets.translated import Translated, describe
from app.widgets.wording import memory_text

_STEPS = 1000


@dataclass(frozen=True)
class Entry:
    """One line of the list: a folder on this machine, or a published model that may be."""

    folder: str
    published: PublishedModel | None = None


class ModelManager(Translated, QDialog):
    """Shows and asks by signals; what the engine did is told by ``show_model`` and ``show_lora``."""

    load_requested = Signal(str)  # folder
    unload_requested = Signal()
    browse_requested = Signal()
    settings_requested = Signal()

    def __init__(
        self, settings: Settings, downloads: Downloads, facts: ModelFacts, bundled: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._downloads = downloads
        self.facts = facts
        self._bundled = bundled
        self._model: ModelInfo | None = None
        self._entries: list[Entry] = []
        self.greeting = QLabel(wordWrap=True)
        self.list = QListWidget()
        self.card = ModelCardView()
        self.problem = Problem()
        self.progress = QProgressBar(maximum=_STEPS)
        self.load, self.unload, self.fetch, self.check = (QPushButton() for _ in range(4))
        self.browse, self.more, self.close_button = (QPushButton() for _ in range(3))
        self.device, self.dtype = QComboBox(), QComboBox()
        self._device_label, self._dtype_label = QLabel(), QLabel()
        self.offline = QCheckBox()
        self.room = QLabel()
        self.room.setProperty("muted", True)
        self.lora = LoraBox()
        self._build()
        self._connect()
        self.refresh()
        self.retranslate()

    # What it is told -------------------------------------------------------------------------------------------------

    def greet(self, wanted: bool) -> None:
        """Say at the first start what is here and what can be fetched."""
        self.greeting.setVisible(wanted)

    def show_model(self, model: ModelInfo | None) -> None:
        """Show which model is loaded."""
        self._model = model
        self.lora.show_model(model)
        if model is None:
            self.lora.show_lora(None)
        self.refresh()

    def show_lora(self, lora: LoraInfo | None) -> None:
        """Show which LoRA is in use."""
        self.lora.show_lora(lora)

    def refresh(self) -> None:
        """Look at the folders anew."""
        recent = [folder for folder in self._settings.get("recent_models") if Path(folder).is_dir()]
        entries = [Entry(self._bundled)] if self._bundled else []
        entries += [Entry(str(self._downloads.folder_of(model.name)), model) for model in PUBLISHED]
        entries += [Entry(one) for one in recent if not any(same_folder(one, entry.folder) for entry in entries)]
        if entries != self._entries:
            row = max(0, self.list.currentRow())
            self.list.blockSignals(True)
            self._entries = entries
            self.list.clear()
            for _ in entries:
                self.list.addItem(QListWidgetItem())
            self.list.setCurrentRow(min(row, len(entries) - 1))
            self.list.blockSignals(False)
        self._show_entry()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 110)
        self.resize(self.minimumWidth(), self.fontMetrics().height() * 44)
        self.greeting.setVisible(False)
        self.list.setMaximumWidth(self.fontMetrics().averageCharWidth() * 44)
        self.list.setWordWrap(True)
        scroll = QScrollArea(widgetResizable=True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(self.card)
        buttons = QHBoxLayout()
        for button in (self.load, self.unload, self.fetch, self.check):
            buttons.addWidget(button)
        buttons.addStretch(1)
        right = QVBoxLayout()
        right.addWidget(scroll, 1)
        right.addWidget(self.problem)
        right.addWidget(self.progress)
        right.addLayout(buttons)
        upper = QHBoxLayout()
        upper.addWidget(self.list, 2)
        upper.addLayout(right, 3)
        place = QHBoxLayout()
        for widget in (self._device_label, self.device, self._dtype_label, self.dtype):
            place.addWidget(widget)
        place.addStretch(1)
        place.addWidget(self.offline)
        self._device_label.setBuddy(self.device)
        self._dtype_label.setBuddy(self.dtype)
        for key, box in (("device", self.device), ("dtype", self.dtype)):
            for choice in by_key()[key].choices:
                box.addItem("", choice)
            box.setCurrentIndex(box.findData(self._settings.get(key)))
        self.offline.setChecked(self._settings.get("offline"))
        last = QHBoxLayout()
        last.addWidget(self.browse)
        last.addWidget(self.more)
        last.addWidget(self.room, 1)
        last.addWidget(self.close_button)
        self.close_button.setDefault(True)
        layout = QVBoxLayout(self)
        layout.addWidget(self.greeting)
        layout.addLayout(upper, 1)
        layout.addLayout(place)
        layout.addWidget(self.lora)
        layout.addLayout(last)

    def _connect(self) -> None:
        self.list.currentRowChanged.connect(lambda row: self._show_entry())
        self.load.clicked.connect(lambda: self.load_requested.emit(self._entry.folder))
        self.unload.clicked.connect(self.unload_requested)
        self.fetch.clicked.connect(self._fetch_or_pause)
        self.check.clicked.connect(lambda: self._downloads.check(self._name))
        self.browse.clicked.connect(self.browse_requested)
        self.more.clicked.connect(self.settings_requested)
        self.close_button.clicked.connect(self.close)
        self.device.activated.connect(lambda row: self._settings.set("device", self.device.itemData(row)))
        self.dtype.activated.connect(lambda row: self._settings.set("dtype", self.dtype.itemData(row)))
        self.offline.toggled.connect(lambda on: self._settings.set("offline", on))
        self._settings.on_changed(self._setting_changed)
        self._downloads.changed.connect(lambda name: self.refresh())
        self._downloads.arrived.connect(lambda name, folder: self.facts.forget(folder))
        self.facts.known.connect(lambda folder: self._show_entry())

    @property
    def _entry(self) -> Entry:
        return self._entries[max(0, self.list.currentRow())]

    @property
    def _name(self) -> str:
        published = self._entry.published
        return published.name if published else ""

    def _fetch_or_pause(self) -> None:
        if self._downloads.of(self._name).state is DownloadState.RUNNING:
            self._downloads.pause(self._name)
        else:
            self._downloads.start(self._name)

    def _setting_changed(self, key: str) -> None:
        if key in ("device", "dtype"):
            box = self.device if key == "device" else self.dtype
            box.setCurrentIndex(box.findData(self._settings.get(key)))
        elif key == "offline":
            self.offline.setChecked(self._settings.get(key))
        if key in ("device", "dtype", "offline", "models_folder", "recent_models"):
            self.refresh()

    def _download(self, entry: Entry) -> Download | None:
        return self._downloads.of(entry.published.name) if entry.published else None

    def _show_entry(self) -> None:
        if not self._entries:
            return
        for row, entry in enumerate(self._entries):
            self.list.item(row).setText(self._line(entry))
        entry, download = self._entry, self._download(self._entry)
        here = download is None or download.state in (DownloadState.HERE, DownloadState.CHECKING)
        if here and self.isVisible():
            self.facts.ask(entry.folder)
        if self._bundled and self.isVisible():
            self.facts.ask(self._bundled)  # for the machine, when nothing else is here
        self.card.show_facts(self._card_facts(entry, here))
        loaded = self._is_loaded(entry)
        self.load.setVisible(here and not loaded)
        self.unload.setVisible(loaded)
        self.fetch.setVisible(not here)
        self.check.setVisible(here and download is not None)
        self._show_download(download)
        self.room.setText(
            self.tr("Free on the disk: {size}").format(size=memory_text(free_bytes(self._downloads.folder)))
        )

    def _show_download(self, download: Download | None) -> None:
        busy = (DownloadState.RUNNING, DownloadState.STOPPING)
        state = download.state if download else DownloadState.HERE
        self.progress.setVisible(state in (*busy, DownloadState.PAUSED))
        if download is not None and self.progress.isVisibleTo(self):
            share = download.done / download.total if download.total else 0.0
            self.progress.setMaximum(0 if state in busy and not download.done else _STEPS)
            self.progress.setValue(round(min(1.0, share) * _STEPS))
            self.progress.setFormat(
                self.tr("{done} of {total}").format(
                    done=memory_text(download.done), total=memory_text(download.total) if download.total else "?"
                )
            )
        self.fetch.setText(
            self.tr("Pause")
            if state in busy
            else self.tr("Go on")
            if state is DownloadState.PAUSED
            else self.tr("Download")
        )
        describe(self.fetch, self.fetch.text(), self.tr("Fetch this model, pause, or go on where it was"))
        self.fetch.setEnabled(state is not DownloadState.STOPPING)
        self.check.setEnabled(state is DownloadState.HERE)
        if download is None or download.failure is None:
            self.problem.say("")
        else:
            self.problem.show_failure(download.failure)

    def _is_loaded(self, entry: Entry) -> bool:
        return self._model is not None and same_folder(self._model.folder, entry.folder)

    def _line(self, entry: Entry) -> str:
        download = self._download(entry)
        name = entry.published.name if entry.published else card_name(entry.folder)
        if self._is_loaded(entry):
            state = self.tr("loaded")
        elif same_folder(entry.folder, self._bundled):
            state = self.tr("comes with the studio")
        elif download is None:
            state = self.tr("on this machine")
        else:
            state = self._state_text(download)
        return f"{name}\n{state}"

    def _state_text(self, download: Download) -> str:
        match download.state:
            case DownloadState.HERE:
                return self.tr("on this machine, checked") if download.checked else self.tr("on this machine")
            case DownloadState.CHECKING:
                return self.tr("is being checked…")
            case DownloadState.RUNNING:
                return self.tr("is being fetched…")
            case DownloadState.STOPPING:
                return self.tr("is being paused…")
            case DownloadState.PAUSED:
                return self.tr("paused, {size} are here").format(size=memory_text(download.done))
            case DownloadState.ABSENT:
                return self.tr("about {size} to download").format(size=memory_text(download.total))

    def _card_facts(self, entry: Entry, here: bool) -> CardFacts:
        model, info = entry.published, self.facts.info_of(entry.folder)
        size = Size.from_info(info) if info else Size.of_published(model) if model and not here else None
        if model is not None and not here:
            card = ModelCard(model.name, "", model.licence, model.languages, model.training)
        else:
            card = read_card(Path(entry.folder))
        asked_for = entry.folder if here else self._bundled
        return CardFacts(
            card=card,
            folder=entry.folder if here else "",
            published=model,
            rates=(info["encode_rate"], info["output_rate"])
            if info
            else (model.encode_rate, model.output_rate)
            if model
            else (0, 0),
            disk_bytes=sum(info["files"].values()) if info else 0,
            need=self.facts.need(size, self._settings.get("device"), self._settings.get("dtype")),
            asked=not self.facts.is_known(asked_for),
        )

    def retranslate(self) -> None:
        """Set all texts."""
        self.setWindowTitle(self.tr("Models"))
        self.greeting.setText(
            self.tr(
                "The studio opens with a model that comes with it. Better ones can be fetched here, or choose a folder "
                "that you have. You find this again under File, Models."
            )
        )
        self.list.setAccessibleName(self.tr("Models"))
        self.progress.setAccessibleName(self.tr("Progress of the download"))
        self.load.setText(self.tr("Load"))
        describe(self.load, self.tr("Load"), self.tr("Load this model in place of the one that is loaded"))
        self.unload.setText(self.tr("Unload"))
        describe(self.unload, self.tr("Unload"), self.tr("Free the memory of this model"))
        self.check.setText(self.tr("Check the files"))
        describe(
            self.check,
            self.tr("Check the files"),
            self.tr("Compare every file with the checksum it came with; offline"),
        )
        self.browse.setText(self.tr("I have a folder…"))
        describe(self.browse, self.tr("I have a folder"), self.tr("Open a model folder from this machine"))
        self.more.setText(self.tr("Settings…"))
        describe(self.more, self.tr("Settings"), self.tr("Mirror, folder for downloads, and all else"))
        self.close_button.setText(self.tr("Close"))
        describe(self.close_button, self.tr("Close"))
        for key, label, box in (("device", self._device_label, self.device), ("dtype", self._dtype_label, self.dtype)):
            setting = by_key()[key]
            label.setText(setting_text(setting.label))
            describe(box, setting_text(setting.label), setting_text(setting.help))
            for row, text in enumerate(setting.choice_labels):
                box.setItemText(row, setting_text(text))
        self.offline.setText(setting_text(by_key()["offline"].label))
        describe(self.offline, self.offline.text(), setting_text(by_key()["offline"].help))
        self._show_entry()

    def showEvent(self, event: object) -> None:
        """Look at everything anew whenever it is opened."""
        super().showEvent(event)  # type: ignore[arg-type]
        self.refresh()
