"""What came of making a take again, in the language of the window."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.core.reproduce import Comparison, Difference


def comparison_text(comparison: Comparison) -> tuple[str, str]:
    """Return what to say, and what differs, line by line."""
    if comparison.identical:
        said = QCoreApplication.translate("Comparison", "The same take came out: {count} samples are equal.")
        return said.format(count=comparison.compared), ""
    said = QCoreApplication.translate("Comparison", "Another take came out, and it was kept. {why}")
    lines = [_difference_text(one) for one in comparison.differences]
    if comparison.level is not None and comparison.largest is not None:
        lines.append(
            QCoreApplication.translate(
                "Comparison",
                "Distance: {level:.1f} dB of the take's power over {count} samples, the largest {largest:.2g} of full "
                "scale",
            ).format(level=comparison.level, count=comparison.compared, largest=comparison.largest)
        )
    if comparison.samples_before != comparison.samples_now:
        lines.append(
            QCoreApplication.translate("Comparison", "Length: {before} samples then, {now} now").format(
                before=comparison.samples_before, now=comparison.samples_now
            )
        )
    return said.format(why=_reason(comparison)), "\n".join(lines)


def _reason(comparison: Comparison) -> str:
    if not comparison.differences:
        return QCoreApplication.translate(
            "Comparison", "Nothing that is recorded differs: this computer does not add up in the same order twice."
        )
    names = ", ".join(dict.fromkeys(_name(one.name) for one in comparison.differences))
    return QCoreApplication.translate("Comparison", "What differs: {names}.").format(names=names)


def _difference_text(one: Difference) -> str:
    unknown = QCoreApplication.translate("Comparison", "unknown")
    return QCoreApplication.translate("Comparison", "{name}: {before} then, {now} now").format(
        name=_name(one.name), before=one.before or unknown, now=one.now or unknown
    )


def _name(name: str) -> str:
    names = {
        "name": QCoreApplication.translate("Comparison", "model"),
        "architecture": QCoreApplication.translate("Comparison", "kind of model"),
        "fingerprint": QCoreApplication.translate("Comparison", "content of the model"),
        "device": QCoreApplication.translate("Comparison", "device"),
        "dtype": QCoreApplication.translate("Comparison", "precision"),
        "threads": QCoreApplication.translate("Comparison", "number of threads"),
        "library": QCoreApplication.translate("Comparison", "version of the program"),
        "machine": QCoreApplication.translate("Comparison", "computer"),
        "output_rate": QCoreApplication.translate("Comparison", "sample rate"),
        "text": QCoreApplication.translate("Comparison", "text after normalising"),
        "lora": QCoreApplication.translate("Comparison", "adapter"),
        "seed": QCoreApplication.translate("Comparison", "seed"),
        "voice": QCoreApplication.translate("Comparison", "content of the voice"),
        "end": QCoreApplication.translate("Comparison", "end"),
    }
    return names.get(name, QCoreApplication.translate("Comparison", "what was computed along"))
