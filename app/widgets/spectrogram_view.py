"""The mel spectrogram of a take: only the tiles in view are computed, off the window's thread."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, QTimer
from PySide6.QtWidgets import QWidget

from app.core.mel import (
    BANDS,
    TILE,
    TileKey,
    band_centres,
    columns_ready,
    hop_seconds,
    level_for,
    mel_tile,
    tiles_between,
)
from app.core.takes import Take
from app.widgets.background import BackgroundQueue
from app.widgets.time_axis import TimeAxis
from app.widgets.time_plot import TimePlot

_GATHER_MS = 30
_MOST_TILES = 600  # of 40 KB each
_LEVELS = (-90.0, -10.0)  # dB from the darkest to the brightest colour
_NAMED = (100, 500, 1000, 4000, 10000)  # Hz
_NAMED_WHEN_LOW = (500, 4000)
_ROOMY_LINES = 7
_TileOf = tuple[str, TileKey]


class SpectrogramView(TimePlot):
    """Decibels of 80 mel bands over seconds. The other take is laid over at half strength."""

    def __init__(self, axis: TimeAxis, work: BackgroundQueue, parent: QWidget | None = None) -> None:
        super().__init__(axis, parent)
        self._work = work
        self._tiles: OrderedDict[_TileOf, np.ndarray] = OrderedDict()
        self._level = -1
        self._soon = QTimer(self, interval=_GATHER_MS, singleShot=True)  # several tiles, one picture
        self._soon.timeout.connect(self.renew)
        # The picture of the zoom before stays below until the tiles of the new one are there.
        self._before, self._image, self._over = (pg.ImageItem(axisOrder="row-major") for _ in range(3))
        self._over.setOpacity(0.5)
        colours = pg.colormap.get("inferno")
        for image in (self._before, self._image, self._over):
            image.setColorMap(colours)
            self.getPlotItem().addItem(image, ignoreBounds=True)
        self.getPlotItem().setYRange(0.0, float(BANDS), padding=0.0)
        self.restyle()
        self.retranslate()

    def show_takes(self, take: Take | None, other: Take | None) -> None:
        """Show ``take``, with ``other`` at half strength over it."""
        if take is not self.take:
            self._before.clear()
            self._level = -1
        super().show_takes(take, other)

    def draw(self) -> None:
        """Draw the tiles that are there, and have the others made."""
        level = level_for(self.axis.span / self.columns)
        wanted = tiles_between(self.axis.start, self.axis.stop, level)
        uids = {take.uid for take in (self.take, self.other) if take is not None}
        keys = {(uid, tile) for uid in uids for tile in wanted}
        self._work.keep_only(lambda key: not (isinstance(key, tuple) and key[0] == "mel") or key[1:] in keys)
        if level != self._level and self._image.image is not None:
            self._before.setImage(self._image.image, levels=_LEVELS)
            self._before.setRect(self._image.mapRectToParent(self._image.boundingRect()))
        self._level = level
        if self.take is not None:
            self._name_bands(self.take.sample_rate)
        complete = self._compose(self._image, self.take, wanted)
        self._compose(self._over, self.other, wanted)
        if complete:
            self._before.clear()

    @property
    def is_complete(self) -> bool:
        """Whether every tile in view is there and drawn, or none is wanted."""
        take = self.take
        if take is None or self.isHidden():
            return True
        return (
            self.is_drawn
            and not self._soon.isActive()
            and all(
                self._have(take, key) >= _ready(take, key)
                for key in tiles_between(self.axis.start, min(self.axis.stop, take.seconds), max(0, self._level))
            )
        )

    def value_text(self, seconds: float) -> str:
        """The loudest band at a place."""
        take = self.take
        if take is None or self._level < 0:
            return ""
        column = int(seconds / hop_seconds(self._level))
        tile = self._tiles.get((take.uid, TileKey(self._level, column // TILE)))
        if tile is None or column % TILE >= tile.shape[1]:
            return ""
        values = tile[:, column % TILE]
        band = int(values.argmax())
        return self.tr("strongest at {hertz} Hz with {level:.0f} dB").format(
            hertz=round(band_centres(take.sample_rate)[band]), level=values[band]
        )

    def retranslate(self) -> None:
        """Set all texts."""
        self.setAccessibleName(self.tr("Spectrogram"))
        self.setToolTip(self.tr("Mel spectrogram: low tones below, brighter is louder; frequencies in hertz"))

    def _compose(self, image: pg.ImageItem, take: Take | None, wanted: list[TileKey]) -> bool:
        """Put the tiles of a take together; True when none is missing."""
        if take is None or take.is_unread:
            image.clear()
            return True
        picture = np.full((BANDS, len(wanted) * TILE), np.nan, np.float32)
        complete = True
        for place, key in enumerate(wanted):
            ready, have = _ready(take, key), self._have(take, key)
            if have:
                self._tiles.move_to_end((take.uid, key))
                picture[:, place * TILE : place * TILE + have] = self._tiles[take.uid, key]
            if have < ready:
                complete = False
                self._ask(take, key, ready)
        if np.isnan(picture).all():
            image.clear()
            return complete
        hop = hop_seconds(wanted[0].level)
        image.setImage(picture, levels=_LEVELS, autoLevels=False)
        image.setRect(QRectF(wanted[0].index * TILE * hop, 0.0, picture.shape[1] * hop, float(BANDS)))
        return complete

    def _have(self, take: Take, key: TileKey) -> int:
        tile = self._tiles.get((take.uid, key))
        return 0 if tile is None else tile.shape[1]

    def _ask(self, take: Take, key: TileKey, columns: int) -> None:
        samples, rate, uid = take.samples, take.sample_rate, take.uid
        self._work.add(
            ("mel", uid, key), lambda: mel_tile(samples, rate, key, columns), lambda tile: self._made((uid, key), tile)
        )

    def _made(self, key: _TileOf, tile: np.ndarray) -> None:
        self._tiles[key] = tile
        self._tiles.move_to_end(key)
        while len(self._tiles) > _MOST_TILES:
            self._tiles.popitem(last=False)
        if not self._soon.isActive():
            self._soon.start()

    def _name_bands(self, sample_rate: int) -> None:
        centres = band_centres(sample_rate)
        named = [hertz for hertz in _NAMED if hertz < centres[-1]]
        if self.height() < _ROOMY_LINES * self.fontMetrics().height():
            named = [hertz for hertz in named if hertz in _NAMED_WHEN_LOW]
        places = np.interp(named, centres, np.arange(BANDS) + 0.5)
        ticks = [
            (place, f"{hertz // 1000}k" if hertz >= 1000 else str(hertz))
            for place, hertz in zip(places, named, strict=True)
        ]
        self.set_ticks(ticks)


def _ready(take: Take, key: TileKey) -> int:
    return columns_ready(key, len(take.samples), take.sample_rate, growing=take.is_growing)
