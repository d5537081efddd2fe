"""What can go wrong with marks. Every message says what happened and what to do."""

from __future__ import annotations


class MarkError(Exception):
    """A mark cannot be made or read."""


class WatermarkUnavailable(MarkError):  # noqa: N818 - a state that people are told of
    """There is nothing to make or find a watermark with."""


class ContainerError(MarkError):
    """A file is not what its first bytes say, is damaged, or cannot carry a label."""


class ExportError(OSError):
    """Sound did not leave: nothing stands under the wanted name that was not there before."""


class MarkMissingError(ExportError):
    """A file was written and its marks were not found in it; it was removed again."""


class ReasonMissingError(ValueError):
    """A mark was to be left out without a reason."""
