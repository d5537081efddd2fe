"""Starts the studio: ``python -m app [--model FOLDER] [FILE ...]``."""

from __future__ import annotations

import argparse
import faulthandler
import logging
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import platformdirs
from PySide6.QtCore import QProcess, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMessageBox

from app.application import Application
from app.core.messages import Failure
from app.core.settings import APP_NAME, Settings, default_settings_file
from app.core.store import default_data_folder
from app.logs import start_logging
from app.single_instance import NoAnswerError, SingleInstance

log = logging.getLogger(__name__)

_MESSAGE_MS = 60_000


def main(argv: Sequence[str] | None = None) -> int:
    """Run the studio until its window is closed; returns the exit code."""
    arguments = _parse(sys.argv[1:] if argv is None else argv)
    crash_file = start_logging(Path(platformdirs.user_log_dir(APP_NAME, appauthor=False)))
    _scale()
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    qt_app = QApplication(sys.argv[:1])
    qt_app.setApplicationName("VoxCPM Studio")
    qt_app.setDesktopFileName(APP_NAME)
    instance = SingleInstance(default_data_folder())
    if not instance.is_first:
        return _pass_on(instance, arguments)
    studio = Application(qt_app, model_folder=arguments.model or "", files=arguments.files)
    instance.asked.connect(studio.come_to_front)
    _report_unexpected_errors(studio)
    studio.show()
    code = qt_app.exec()
    studio.close()
    if not studio.ended_cleanly:
        # The engine's thread is inside a call that nothing can interrupt (an import, one long step). Everything is
        # saved; leaving without tearing the thread down is the only end that neither waits nor crashes.
        log.info("Leaving while the engine is still inside a call")
        instance.close()
        logging.shutdown()
        os._exit(code)
    instance.close()
    if studio.wants_restart:
        QProcess.startDetached(sys.executable, ["-m", "app"])
    if crash_file is not None:
        faulthandler.disable()
        crash_file.close()
    return code


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="voxcpm-studio", description="Make speech with VoxCPM models in a window.")
    parser.add_argument("--model", metavar="FOLDER", type=_folder, help="the model folder to open")
    parser.add_argument(
        "files", metavar="FILE", nargs="*", type=_file, help="a recording, a voice, or a model's folder"
    )
    return parser.parse_args(argv)


def _folder(text: str) -> str:
    if not (Path(text) / "config.json").is_file():
        raise argparse.ArgumentTypeError(f"{text} is no model folder: it has no config.json")
    return str(Path(text).resolve())


def _file(text: str) -> str:
    if not Path(text).exists():
        raise argparse.ArgumentTypeError(f"{text} does not exist")
    return str(Path(text).resolve())


def _pass_on(instance: SingleInstance, arguments: argparse.Namespace) -> int:
    """Hand the arguments to the window that is open already."""
    try:
        instance.pass_on([*filter(None, [arguments.model]), *arguments.files])
    except NoAnswerError as error:
        log.warning("The window that is open does not answer")
        sys.stderr.write(f"voxcpm-studio: {error}\n")
        box = QMessageBox(QMessageBox.Icon.Warning, "VoxCPM Studio", str(error))
        QTimer.singleShot(_MESSAGE_MS, box.close)
        box.exec()
        return 1
    return 0


def _scale() -> None:
    """Enlarge everything as the settings say; that has to be known before there is a window."""
    percent = Settings(default_settings_file()).get("scale")
    if percent != 100 and "QT_SCALE_FACTOR" not in os.environ:
        os.environ["QT_SCALE_FACTOR"] = f"{percent / 100:g}"


def _report_unexpected_errors(studio: Application) -> None:
    def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            studio.window.close()
            return
        log.error("Unexpected error", exc_info=(kind, error, trace))
        details = "".join(traceback.format_exception(kind, error, trace))
        studio.window.notice.show_failure(Failure(f"{kind.__name__}: {error}", details=details, code="unexpected"))

    sys.excepthook = report


if __name__ == "__main__":
    sys.exit(main())
