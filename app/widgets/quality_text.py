"""The quality card in words."""

from __future__ import annotations

import html
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication

from app.core.quality import Finding, QualityCard, WordStep
from app.widgets.wording import length_text


def finding_text(finding: Finding) -> str:
    """Say one thing that is wrong with a take."""
    values = dict(finding.values)
    words = " ".join(finding.words)
    seconds = length_text(values.get("seconds", 0.0))
    texts: dict[str, Callable[[], str]] = {
        "missing": lambda: QCoreApplication.translate("Quality", "missing: {words}"),
        "repeated": lambda: QCoreApplication.translate("Quality", "repeated: {words}"),
        "added": lambda: QCoreApplication.translate("Quality", "added: {words}"),
        "replaced": lambda: QCoreApplication.translate("Quality", "other words for: {words}"),
        "clipping": lambda: QCoreApplication.translate("Quality", "clipped in {count} places"),
        "silent": lambda: QCoreApplication.translate("Quality", "nothing is heard"),
        "pause": lambda: QCoreApplication.translate("Quality", "a pause of {seconds}"),
        "silence_head": lambda: QCoreApplication.translate("Quality", "{seconds} of silence before it begins"),
        "silence_tail": lambda: QCoreApplication.translate("Quality", "{seconds} of silence at the end"),
        "slow": lambda: QCoreApplication.translate("Quality", "very slow: {rate} letters a second"),
        "fast": lambda: QCoreApplication.translate("Quality", "very fast: {rate} letters a second"),
        "quiet": lambda: QCoreApplication.translate("Quality", "very quiet: {level} LUFS"),
        "loud": lambda: QCoreApplication.translate("Quality", "very loud: {level} LUFS"),
        "unlike": lambda: QCoreApplication.translate("Quality", "another voice than the reference: {likeness}"),
        "leak_head": lambda: QCoreApplication.translate("Quality", "something is heard before the text"),
        "leak_tail": lambda: QCoreApplication.translate("Quality", "something is heard after the text"),
    }
    text = texts[finding.code]() if finding.code in texts else finding.code
    if finding.code.startswith("leak") and words:
        text += f": {words}"
    elif values.get("reference"):
        text += " " + QCoreApplication.translate("Quality", "(the end of the reference)")
    return text.format(
        words=words,
        seconds=seconds,
        count=f"{values.get('count', 0):.0f}",
        rate=f"{values.get('rate', 0.0):.0f}",
        level=f"{values.get('level', 0.0):.0f}",
        likeness=f"{values.get('likeness', 0.0):.2f}",
    )


def missing_text(code: str, reason: str) -> str:
    """Say why something could not be heard; a code that is not known here is told in its own words."""
    return {
        "recogniser.not_installed": QCoreApplication.translate(
            "Quality", "no speech recogniser is installed (the evaluate extra)"
        ),
        "recogniser.no_folder": QCoreApplication.translate(
            "Quality", "choose the folder of a Whisper model for this language in the settings"
        ),
        "recogniser.unusable": QCoreApplication.translate(
            "Quality", "the chosen Whisper model does not serve for this language"
        ),
        "matcher.not_installed": QCoreApplication.translate(
            "Quality", "nothing that compares voices is installed (Resemblyzer)"
        ),
        "matcher.unusable": QCoreApplication.translate("Quality", "what compares voices cannot be loaded"),
    }.get(code, reason)


def measures_text(card: QualityCard) -> str:
    """Rate, level and pauses in one line."""
    return QCoreApplication.translate(
        "Quality", "{rate} letters/s · {level} LUFS · {share} % pauses, the longest {pause}"
    ).format(
        rate=f"{card.rate:.0f}",
        level=f"{card.level:.0f}",
        share=f"{100 * card.pause_share:.0f}",
        pause=length_text(card.longest_pause),
    )


def words_html(steps: tuple[WordStep, ...]) -> str:
    """The text against what was heard: what is missing struck through, what is too much underlined; never by colour."""
    parts = []
    for step in steps:
        said, heard = html.escape(" ".join(step.said)), html.escape(" ".join(step.heard))
        if step.kind == "equal":
            parts.append(said)
        else:
            parts += [f"<s>{said}</s>"] if said else []
            parts += [f"<u>{heard}</u>"] if heard else []
    return " ".join(parts)


def short_text(card: QualityCard, place: tuple[int, int] | None) -> str:
    """What the list of takes shows: the place among its press, and how much is wrong."""
    parts = []
    if place is not None and place[1] > 1 and place[0] == 1:
        parts.append(QCoreApplication.translate("Quality", "best of {count}").format(count=place[1]))
    if len(card.findings) == 1:
        parts.append(finding_text(card.findings[0]))
    elif card.findings:
        parts.append(QCoreApplication.translate("Quality", "{count} problems").format(count=len(card.findings)))
    return " · ".join(parts)
