"""From a manifest to what training wants: the verdict, a fair split, latents, and a card that says what the data is."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from voxcpm.errors import DatasetError, RequestError
from voxcpm.files import write_atomically
from voxcpm.training.manifest import Checked, Entry, check_manifest, manifest_lines, split_groups

if TYPE_CHECKING:
    from voxcpm.training.latents import LatentCache

NOT_SAID = "not said"
_MOST_OF_SHARE = 1.5  # a validation set may come out this much larger than asked for, since groups stay whole


@dataclass(frozen=True)
class Prepared:
    """What was made."""

    checked: Checked
    training: tuple[Entry, ...]
    validation: tuple[Entry, ...]
    files: tuple[Path, ...]
    encoded: int
    """Recordings whose latents were computed now."""


def prepare(
    manifest: Path,
    *,
    split: float = 0.0,
    seed: int = 0,
    cache: Callable[[], LatentCache] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Prepared:
    """Check ``manifest`` and write the card beside it; with ``split`` also ``NAME.train.jsonl`` and
    ``NAME.validation.jsonl``; with ``cache`` compute the latents.

    ``split`` is the share of the sound that validation gets, 0 for none. Raises :class:`DatasetError` with every error
    and its line (nothing is written then), or if no split without a leak exists.
    """
    if not 0 <= split <= 0.5:
        raise RequestError("split", f"must be a share from 0 to 0.5, is {split!r}")
    checked = check_manifest(manifest)
    checked.require()
    if not checked.entries:
        raise DatasetError(f"{checked.path.name}: {checked.read} lines read, none can be used: {_removals(checked)}")
    training, validation = (checked.entries, ()) if not split else split_entries(checked, split, seed)
    encoded = 0
    if cache is not None:
        recordings = [r for e in checked.entries for r in (e.audio, e.reference) if r is not None]
        encoded = cache().fill(recordings, progress)
    files = {manifest.with_suffix(".card.md"): data_card(checked, training, validation).encode()}
    if split:
        files[manifest.with_suffix(".train.jsonl")] = manifest_lines(training)
        files[manifest.with_suffix(".validation.jsonl")] = manifest_lines(validation)
    for path, content in files.items():
        write_atomically(path, content)
    return Prepared(checked, tuple(training), tuple(validation), tuple(files), encoded)


def split_entries(checked: Checked, share: float, seed: int) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """Training and validation that share no voice, no text domain, no recording and no text.

    :class:`DatasetError` if everything hangs together.
    """
    groups = split_groups(checked.entries)
    if len(groups) < 2:
        raise DatasetError(
            f"{checked.path.name} cannot be split fairly: every line shares a voice, a text domain, a recording or a "
            "text with the others. Name the voices in 'voice' and where the texts are from in 'domain', add recordings "
            "of another voice, or train without validation"
        )
    wanted = share * _seconds(checked.entries)
    order = groups[1:]  # the largest group always stays with training
    random.Random(seed).shuffle(order)
    chosen: list[Entry] = []
    for group in order:
        if _seconds(chosen) < wanted and _seconds(chosen) + _seconds(group) <= _MOST_OF_SHARE * wanted:
            chosen += group
    if not chosen:
        chosen = min(order, key=_seconds)
    lines = {entry.line for entry in chosen}
    training = tuple(entry for entry in checked.entries if entry.line not in lines)
    return training, tuple(entry for entry in checked.entries if entry.line in lines)


def data_card(checked: Checked, training: Sequence[Entry], validation: Sequence[Entry]) -> str:
    """Markdown: how much there is, of whom, from where, under which licence, and what was left out and why."""
    entries = checked.entries
    lines = [
        f"# Data card of {checked.path.name}",
        "",
        f"- Lines read: {checked.read}; used: {len(entries)}; left out: {_removals(checked)}",
        f"- Sound: {_hours(entries)}; training {_hours(training)}"
        + (
            f", validation {_hours(validation)} (no voice, text domain, recording or text in both)"
            if validation
            else ""
        ),
        f"- With a reference recording: {sum(entry.reference is not None for entry in entries)} lines",
        f"- Sample rates: {_counts(f'{entry.audio.sample_rate} Hz' for entry in entries)}",
        f"- Consent records: {', '.join(checked.consent_ids()) or 'none'}",
        f"- SHA-256 of the manifest: {checked.content}",
    ]
    for title, key in (
        ("Voices", "speaker"),
        ("Sources", "source"),
        ("Licences", "licence"),
        ("Territories", "territory"),
        ("Text domains", "domain"),
        ("Datasets", "dataset_id"),
    ):
        lines += ["", f"## {title}", "", "| name | lines | sound | training | validation |", "|---|---|---|---|---|"]
        names = sorted({getattr(entry, key) for entry in entries})
        for name in names:
            of_name = [[e for e in part if getattr(e, key) == name] for part in (entries, training, validation)]
            sizes = " | ".join(_hours(part) for part in of_name)
            lines.append(f"| {_cell(name)} | {len(of_name[0])} | {sizes} |")
    left_out = [finding for finding in checked.findings if finding.severity != "error"]
    if left_out:
        lines += ["", "## Remarks", "", *(f"- {finding}" for finding in left_out)]
    return "\n".join(lines) + "\n"


def _seconds(entries: Iterable[Entry]) -> float:
    return sum(entry.audio.seconds for entry in entries)


def _hours(entries: Iterable[Entry]) -> str:
    seconds = _seconds(entries)
    return f"{seconds / 3600:.2f} h" if seconds >= 360 else f"{seconds:.1f} s"


def _removals(checked: Checked) -> str:
    return _counts(finding.code for finding in checked.of("dropped")) or "none"


def _counts(values: Iterable[str]) -> str:
    return ", ".join(f"{count} {value}" for value, count in sorted(Counter(values).items()))


def _cell(name: str) -> str:
    return " ".join((name or NOT_SAID).split()).replace("|", "\\|")
