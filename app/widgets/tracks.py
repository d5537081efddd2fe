"""The tracks of a take: sound, spectrogram, latents, stop probability and time of each patch, one below the other."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter

from app.widgets.background import BackgroundQueue
from app.widgets.latent_view import LatentView
from app.widgets.patch_view import SpeedView, StopView
from app.widgets.spectrogram_view import SpectrogramView
from app.widgets.time_axis import TimeAxis
from app.widgets.time_plot import TimePlot
from app.widgets.waveform_view import WaveformView


class Tracks(QSplitter):
    """All of them on ``axis``; what takes long to compute is computed by ``work``."""

    def __init__(self, axis: TimeAxis, work: BackgroundQueue) -> None:
        super().__init__(Qt.Orientation.Vertical, childrenCollapsible=False)
        self.waveform = WaveformView(axis, work)
        self.spectrogram = SpectrogramView(axis, work)
        self.latents = LatentView(axis)
        self.stop = StopView(axis)
        self.speed = SpeedView(axis)
        self.by_name: dict[str, TimePlot] = {
            "waveform": self.waveform, "spectrogram": self.spectrogram, "latents": self.latents, "stop": self.stop,
            "speed": self.speed,
        }  # fmt: skip
        for name, track in self.by_name.items():
            self.addWidget(track)
            self.setStretchFactor(self.count() - 1, 1 if name in ("stop", "speed") else 3)
