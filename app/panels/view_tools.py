"""The controls of the timeline: zoom, tracks, a second take laid over, export of what is shown."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QSize, Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QMenu, QToolButton, QWidget

from app.core.atomic_file import write_atomically
from app.core.settings import Settings
from app.core.takes import Take, TakeStore
from app.core.track_data import to_csv, to_npy, track_table
from app.widgets.background import BackgroundQueue
from app.widgets.icons import themed_icon
from app.widgets.timeline import TRACKS, Timeline
from app.widgets.translated import Translated, describe
from app.widgets.wording import length_text

_MOST_CHOICES = 30
_WRITERS = {"csv": to_csv, "npy": to_npy}


class ViewTools(Translated, QWidget):
    """Changes what ``timeline`` shows. ``said`` carries a line for people."""

    take_wanted = Signal(object)  # Take whose sound is still on the disk
    said = Signal(str)
    exported = Signal(str)  # path

    def __init__(self, timeline: Timeline, store: TakeStore, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._timeline = timeline
        self._store = store
        self._settings = settings
        self._choices: list[Take] = []
        self._work = BackgroundQueue(self)
        self._exports = 0
        self.fit_button, self.out_button, self.in_button = QToolButton(), QToolButton(), QToolButton()
        side = round(1.2 * self.fontMetrics().height())
        for button in (self.fit_button, self.out_button, self.in_button):
            button.setIconSize(QSize(side, side))
        self.over_box = QComboBox()
        self.over_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.over_box.setMinimumContentsLength(18)
        menu_at_once = QToolButton.ToolButtonPopupMode.InstantPopup
        self.tracks_button = QToolButton(popupMode=menu_at_once)
        self.export_button = QToolButton(popupMode=menu_at_once)
        self._tracks, self._exporting = QMenu(self.tracks_button), QMenu(self.export_button)
        self.tracks_button.setMenu(self._tracks)
        self.export_button.setMenu(self._exporting)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch(1)
        for widget in (
            self.over_box, self.tracks_button, self.export_button, self.out_button, self.in_button, self.fit_button,
        ):  # fmt: skip
            row.addWidget(widget)
        self._fill_tracks()
        timeline.show_tracks(settings.get("tracks"))
        self.fit_button.clicked.connect(timeline.axis.fit)
        self.in_button.clicked.connect(timeline.zoom_in)
        self.out_button.clicked.connect(timeline.zoom_out)
        self.over_box.activated.connect(self._chosen)
        self._exporting.aboutToShow.connect(self._fill_exporting)
        store.on_added(lambda take: self._refill())
        store.on_removed(lambda take: self._refill())
        self.restyle()
        self.retranslate()

    def show_take(self, take: Take | None) -> None:
        """Offer what can be laid over another take."""
        self._refill()
        for widget in (self.over_box, self.export_button, self.fit_button, self.in_button, self.out_button):
            widget.setEnabled(take is not None)

    def close_down(self, wait_seconds: float) -> bool:
        """Wait for a file that is being written; False when that takes longer."""
        return self._work.close(wait_seconds)

    def restyle(self) -> None:
        """Draw the icons in the colours of the theme."""
        for button, name in ((self.fit_button, "fit"), (self.in_button, "zoom_in"), (self.out_button, "zoom_out")):
            button.setIcon(themed_icon(name, self.palette()))

    def retranslate(self) -> None:
        """Set all texts."""
        describe(self.fit_button, self.tr("Show all"), self.tr("Show the whole take (0)"))
        describe(self.in_button, self.tr("Zoom in"), self.tr("Zoom in (+, or the wheel)"))
        describe(self.out_button, self.tr("Zoom out"), self.tr("Zoom out (-, or the wheel)"))
        self.tracks_button.setText(self.tr("Tracks"))
        describe(self.tracks_button, self.tr("Tracks"), self.tr("Which tracks are shown"))
        self.export_button.setText(self.tr("Export view"))
        describe(
            self.export_button,
            self.tr("Export view"),
            self.tr("Save a picture of the tracks, or their data. Use Save take for the sound."),
        )
        describe(
            self.over_box,
            self.tr("Lay another take over this one"),
            self.tr("Lay another take over this one: its waveform as an outline, the rest at half strength or dotted"),
        )
        for action in self._tracks.actions():
            action.setText(self.track_name(action.data()))
        self._refill()

    def track_name(self, track: str) -> str:
        """Name a track for people."""
        return {
            "waveform": self.tr("Waveform"),
            "spectrogram": self.tr("Spectrogram"),
            "latents": self.tr("Latents"),
            "stop": self.tr("Stop probability"),
            "speed": self.tr("Time per patch"),
        }[track]

    # Tracks and takes ------------------------------------------------------------------------------------------------

    def _fill_tracks(self) -> None:
        shown = self._settings.get("tracks")
        for track in TRACKS:
            action = self._tracks.addAction(track)
            action.setData(track)
            action.setCheckable(True)
            action.setChecked(track in shown)
            action.triggered.connect(self._tracks_chosen)

    def _tracks_chosen(self) -> None:
        self._timeline.show_tracks([action.data() for action in self._tracks.actions() if action.isChecked()])
        shown = self._timeline.shown_tracks  # never none
        for action in self._tracks.actions():
            action.setChecked(action.data() in shown)
        self._settings.set("tracks", list(shown))

    def _refill(self) -> None:
        """The takes of the same press first, then the newest others."""
        current, over = self._timeline.take, self._timeline.other
        press = current.press if current is not None else ""
        others = [take for take in reversed(self._store.takes) if take is not current and not take.binned]
        others.sort(key=lambda take: (take.press != press, -take.number, take.row))
        self._choices = others[:_MOST_CHOICES]
        self.over_box.clear()
        self.over_box.addItem(self.tr("Nothing laid over"))
        for take in self._choices:
            self.over_box.addItem(self._title(take))
        self.over_box.setCurrentIndex(self._choices.index(over) + 1 if over in self._choices else 0)

    def _title(self, take: Take) -> str:
        words = " ".join(take.job.text.split())[:24]
        return self.tr("take {take}: {words}, {length}").format(
            take=take.row + 1, words=words, length=length_text(take.seconds)
        )

    def _chosen(self, index: int) -> None:
        take = self._choices[index - 1] if index > 0 else None
        if take is not None and take.is_unread:
            self.take_wanted.emit(take)
        self._timeline.lay_over(take)

    # Export ----------------------------------------------------------------------------------------------------------

    def _fill_exporting(self) -> None:
        self._exporting.clear()
        self._exporting.addAction(self.tr("Picture (PNG)…")).triggered.connect(lambda: self._ask("png", ""))
        for track in self._timeline.shown_tracks:
            self._exporting.addSeparator()
            for suffix in _WRITERS:
                text = self.tr("{track} as {format}…").format(track=self.track_name(track), format=suffix.upper())
                action = self._exporting.addAction(text)
                action.triggered.connect(lambda checked=False, s=suffix, t=track: self._ask(s, t))

    def _ask(self, suffix: str, track: str) -> None:
        folder = Path(self._settings.get("save_folder") or Path.home())
        dialog = QFileDialog(self, self.tr("Export view"), str(folder / f"{track or 'timeline'}.{suffix}"))
        dialog.setNameFilter(f"{suffix.upper()} (*.{suffix})")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix)
        dialog.selectFile(str(folder / f"{track or 'timeline'}.{suffix}"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self.export(Path(path), suffix, track))
        dialog.open()

    def export(self, path: Path, suffix: str, track: str = "") -> None:
        """Write what is selected, else what is in view: a picture of all tracks (png), or one's data (csv, npy)."""
        take, axis = self._timeline.take, self._timeline.axis
        if take is None:
            return
        self._exports += 1
        start, stop = axis.selection or (axis.start, axis.stop)
        image = self._timeline.picture().toImage() if suffix == "png" else None

        def work() -> str:
            try:
                data = _png(image) if image else _WRITERS[suffix](track_table(take, track, start, stop))
                write_atomically(path, data)
            except (OSError, ValueError) as error:
                return str(error)
            return ""

        self._work.add(self._exports, work, lambda bad: self._done(path, bad))

    def _done(self, path: Path, reason: str) -> None:
        if reason:
            self.said.emit(self.tr("Not exported: {reason}").format(reason=reason))
        else:
            self.said.emit(self.tr("Exported: {path}").format(path=path))
            self.exported.emit(str(path))


def _png(image: QImage) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload]  # PySide wants bytes here and takes them not
        raise ValueError("the picture cannot be written as PNG")
    return bytes(buffer.data().data())
