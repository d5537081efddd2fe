"""The dialogs of the dubbing panel: files to open, the dictionary, the import report, and what is exported."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from app.core.dubbing.remarks import Remark
from app.core.project_files import FileReference
from app.core.settings import Settings
from app.dialogs.dub_report import DubReport
from app.dialogs.dub_words import DubWords
from app.dub_jobs import DubJobs
from app.dub_open import OpenDub
from app.marks.choice import MarkTools
from app.panels.dubbing_panel import DubbingPanel

if TYPE_CHECKING:
    from app.dialogs.dub_export import DubExportDialog


class DubDialogs(QObject):
    """Shows them over ``window``, one of each. ``remarks``: of the file that the dub was read from; None: of none."""

    path_chosen = Signal(str)  # to be opened
    sound_chosen = Signal(str)

    def __init__(
        self, dub: OpenDub, panel: DubbingPanel, jobs: DubJobs, settings: Settings, tools: MarkTools, window: QWidget
    ) -> None:
        super().__init__(window)
        self._dub, self._panel, self._jobs, self._settings = dub, panel, jobs, settings
        self._tools, self._window = tools, window
        self.remarks: tuple[Remark, ...] | None = None
        self.words: DubWords | None = None
        self.exporting: DubExportDialog | None = None
        self.report: DubReport | None = None
        dub.changed.connect(self._show_words)

    def ask_open(self, *, folder: bool = False) -> None:
        """Let a person choose a file, or the folder of a project."""
        dialog = QFileDialog(self._window, self.tr("Open a dub"), self._settings.get("open_folder"))
        if folder:
            dialog.setFileMode(QFileDialog.FileMode.Directory)
            dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        else:
            dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
            dialog.setNameFilters(
                [
                    self.tr("Subtitles, scripts and tables (*.srt *.vtt *.ass *.ssa *.txt *.md *.csv *.tsv)"),
                    self.tr("All files (*)"),
                ]
            )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._chosen)
        dialog.open()

    def ask_sound(self) -> None:
        """Let a person choose the original sound."""
        dialog = QFileDialog(self._window, self.tr("Choose the original sound"), self._settings.get("open_folder"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters(
            [
                self.tr("Sound and film (*.wav *.flac *.mp3 *.ogg *.opus *.m4a *.mp4 *.mkv *.mov *.webm *.avi)"),
                self.tr("All files (*)"),
            ]
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.sound_chosen)
        dialog.open()

    def show_words(self) -> None:
        """Show the dictionary."""
        if self._dub.dubbing is None:
            return
        if self.words is None:
            self.words = DubWords(self._window)
            self.words.word_set.connect(self._set_word)
        self._panel.card.flush()
        self._show_words(even_hidden=True)
        self.words.show()
        self.words.activateWindow()

    @property
    def has_report(self) -> bool:
        """Whether anything is known of how the file was read: a project that comes back does not tell."""
        dubbing = self._dub.dubbing
        return dubbing is not None and (self.remarks is not None or bool(dubbing.project.notes))

    def show_report(self) -> None:
        """Show what was skipped or repaired when the file was read, and what the project had to say."""
        if self._dub.dubbing is None or not self.has_report:
            return
        self.report = DubReport(self.remarks or (), self._dub.dubbing.project.notes, self._window)
        self.report.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.report.destroyed.connect(lambda: setattr(self, "report", None))
        self.report.show()
        self.report.activateWindow()

    def ask_export(self) -> None:
        """Show what can be written."""
        dubbing, overview = self._dub.dubbing, self._dub.overview
        if dubbing is None or overview is None or self._panel.is_busy:
            return
        self._panel.card.flush()
        from app.dialogs.dub_export import DubExportDialog  # with all that writes files, which no window waits for

        folder = dubbing.project.folder
        dialog = DubExportDialog(
            folder.with_name(f"{folder.stem}.wav"), self._dub.rules, has_sound=overview.dub.sound is not None,
            parent=self._window,
        )  # fmt: skip
        dialog.remember(self._settings.get("dub_export"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.export_requested.connect(self._export)
        dialog.destroyed.connect(lambda: setattr(self, "exporting", None))
        self.exporting = dialog
        dialog.show()
        dialog.activateWindow()

    def close_all(self) -> None:
        """The project was closed: so are they."""
        self.remarks = None
        for dialog in (self.words, self.exporting, self.report):
            if dialog is not None:
                dialog.close()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _chosen(self, path: str) -> None:
        self._settings.set("open_folder", str(Path(path).parent))
        self.path_chosen.emit(path)

    def _export(self, wishes: Any) -> None:
        dubbing, overview = self._dub.dubbing, self._dub.overview
        if overview is None or dubbing is None or self.exporting is None:
            return
        self._settings.set("dub_export", self.exporting.remembered())
        sound = overview.dub.sound
        original: Callable[[], Path] | None = None
        if sound is not None:
            original = partial(dubbing.project.files.find, FileReference.from_plain(dict(sound)))
        self.exporting.close()
        self._jobs.export(wishes, overview, original, self._tools)

    def _set_word(self, word: str, said: str, everywhere: bool) -> None:
        if self._dub.dubbing is None:
            return
        if not everywhere:
            self._dub.change(lambda dubbing: dubbing.set_word(word, said))
            return
        words = self._settings.get("words")
        words.pop(word, None)
        self._settings.set("words", words | ({word: said} if said else {}))
        self._settings.save()
        self._dub.dubbing.words = self._settings.get("words")
        self._dub.refresh()

    def _show_words(self, *, even_hidden: bool = False) -> None:
        overview = self._dub.overview
        if self.words is not None and overview is not None and (even_hidden or self.words.isVisible()):
            self.words.show_words(overview.dub.words, self._settings.get("words"), overview.states)
