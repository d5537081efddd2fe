"""From records to figures, and from figures to text. Arithmetic only: nothing is run or read."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voxcpm.evaluation.sentences import Sentence, in_report_order
from voxcpm.evaluation.wording import Wording
from voxcpm.result import FLAG_TOO_LONG

COUNTS = ("substituted", "missing", "repeated", "added")


@dataclass(frozen=True)
class Reading:
    """A recording of a sentence, a take or an original: what was heard, and its alignment with the text."""

    heard: str
    wording: Wording

    def to_dict(self) -> dict[str, Any]:
        """A JSON form."""
        return {"heard": self.heard, "word_error_rate": self.wording.error_rate, **dataclasses.asdict(self.wording)}


@dataclass(frozen=True)
class SentenceResult:
    """A sentence, its takes' records with what was heard in them, and the original."""

    sentence: Sentence
    takes: tuple[tuple[Mapping[str, Any], Reading], ...]
    original: Reading | None = None

    @property
    def error_rate(self) -> float:
        """Mean word error rate of the takes."""
        return statistics.fmean(reading.wording.error_rate for _, reading in self.takes)

    def to_dict(self) -> dict[str, Any]:
        """A line of ``sentences.jsonl``."""
        return {
            **dataclasses.asdict(self.sentence),
            "word_error_rate": self.error_rate,
            "original": self.original.to_dict() if self.original is not None else None,
            "takes": [
                {
                    **{
                        name: record[name]
                        for name in ("seed", "file", "end", "flags", "attempts", "retry_helped", "audio_seconds")
                    },
                    **reading.to_dict(),
                    "stop_failure": record["end"] != "stopped",
                    "real_time_factor": real_time_factor(record),
                    "first_packet_seconds": record["first_packet_seconds"],
                    "last_packet_seconds": record["last_packet_seconds"],
                }
                for record, reading in self.takes
            ],
        }


def real_time_factor(record: Mapping[str, Any]) -> float | None:
    """Seconds of work for a second of sound, of the attempt that was kept; None without sound."""
    work, sound = record["last_packet_seconds"], record["audio_seconds"]
    return work / sound if work is not None and sound else None


def summarise(results: Sequence[SentenceResult]) -> dict[str, Any]:
    """The figures of some sentences: words, stop failures, bad cases. Needs at least one."""
    takes = [take for result in results for take in result.takes]
    originals = [result.original.wording for result in results if result.original is not None]
    return {
        "sentences": len(results),
        "takes": len(takes),
        "word_error_rate": _rates([r.error_rate for r in results], [reading.wording for _, reading in takes]),
        "original_word_error_rate": _rates([w.error_rate for w in originals], originals) if originals else None,
        **{
            name: {
                "words": (count := sum(getattr(reading.wording, name) for _, reading in takes)),
                "per_100_words": 100 * count / sum(reading.wording.words for _, reading in takes),
            }
            for name in COUNTS
        },
        **summarise_ends([record for record, _ in takes]),
    }


def summarise_ends(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Stop failures, and how often a bad case was tried again and with what success."""
    failures = sum(record["end"] != "stopped" for record in records)
    retried = [record for record in records if record["attempts"] > 1]
    bad = sum(record["attempts"] > 1 or FLAG_TOO_LONG in record["flags"] for record in records)
    return {
        "stop_failures": {"takes": failures, "share": failures / len(records)},
        "bad_cases": {
            "takes": bad,
            "retried": len(retried),
            "attempts": sum(record["attempts"] - 1 for record in retried),
            "converged": sum(record["retry_helped"] is True for record in retried),
        },
    }


def summarise_timing(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Times of some takes, of the attempts that were kept. Needs at least one."""
    sound = sum(record["audio_seconds"] for record in records)
    return {
        "takes": len(records),
        "threads": records[0]["threads"],
        "real_time_factor": _spread(map(real_time_factor, records)),
        "real_time_factor_with_retries": sum(r["total_seconds"] for r in records) / sound if sound else None,
        "first_packet_seconds": _spread(record["first_packet_seconds"] for record in records),
        "last_packet_seconds": _spread(record["last_packet_seconds"] for record in records),
        "load_average": _spread(record["load_average"] for record in records),
    }


def summarise_voices(judged: Sequence[Mapping[str, Any]], similarity: str) -> dict[str, Any]:
    """Share of takes that sound like the voice they should, and the mean of the entries' ``similarity``."""
    takes, right = sum(entry["takes"] for entry in judged), sum(entry["right"] for entry in judged)
    return {
        "entries": len(judged),
        "takes": takes,
        "right": right,
        "share_right": right / takes,
        similarity: statistics.fmean(entry[similarity] for entry in judged),
    }


def by_category(results: Sequence[SentenceResult]) -> dict[str, dict[str, Any]]:
    """:func:`summarise` for every category."""
    groups: dict[str, list[SentenceResult]] = {}
    for result in results:
        groups.setdefault(result.sentence.category, []).append(result)
    return {category: summarise(groups[category]) for category in in_report_order(set(groups))}


def _rates(per_sentence: Sequence[float], wordings: Sequence[Wording]) -> dict[str, float]:
    """Mean and median over sentences, and errors over words of all recordings together."""
    pooled = sum(w.errors for w in wordings) / sum(w.words for w in wordings)
    return {"mean": statistics.fmean(per_sentence), "median": statistics.median(per_sentence), "pooled": pooled}


def _spread(values: Iterable[float | None]) -> dict[str, float] | None:
    known = [value for value in values if value is not None]
    if not known:
        return None
    return {"mean": statistics.fmean(known), "median": statistics.median(known), "largest": max(known)}


# -- text -----------------------------------------------------------------------------------------------------


def as_text(report: Mapping[str, Any]) -> str:
    """The report for people."""
    model = report["model"]
    lines = [
        f"{model['name']} ({model['architecture']}, {model['fingerprint']}), {report['sampling']['steps']} steps, "
        f"guidance {report['sampling']['cfg']:g}, temperature {report['sampling']['temperature']:g}",
        f"heard by {report['recogniser']}",
        "",
        *_words_table(report),
        "",
        *_timing_lines(report["timing"]),
    ]
    if report["descriptions"] is not None or report["references"] is not None:
        apart = report["reference_voices"]
        lines += ["", f"recordings told apart by the embedding: {apart['right']} of {apart['recordings']}"]
    if report["descriptions"] is not None:
        lines += _voice_lines("descriptions", report["descriptions"], "similarity_between_takes", "takes alike")
    if report["references"] is not None:
        for name, found in report["references"].items():
            if name != "each":
                title = "references (in training)" if name == "known" else "references (held out)"
                lines += _voice_lines(title, found, "similarity", "like their voice")
    return "\n".join(lines) + "\n"


_COLUMNS: tuple[tuple[str, Callable[[Mapping[str, Any]], str]], ...] = (
    ("sentences", lambda s: f"{s['sentences']}"),
    ("takes", lambda s: f"{s['takes']}"),
    ("WER median", lambda s: _percent(s["word_error_rate"]["median"])),
    ("mean", lambda s: _percent(s["word_error_rate"]["mean"])),
    ("originals median", lambda s: _original(s, "median")),
    ("mean", lambda s: _original(s, "mean")),
    ("substituted", lambda s: f"{s['substituted']['words']}"),
    ("missing", lambda s: f"{s['missing']['words']}"),
    ("repeated", lambda s: f"{s['repeated']['words']}"),
    ("added", lambda s: f"{s['added']['words']}"),
    ("stop failures", lambda s: f"{s['stop_failures']['takes']} ({_percent(s['stop_failures']['share'])})"),
    ("retried", lambda s: f"{s['bad_cases']['retried']}"),
    ("converged", lambda s: f"{s['bad_cases']['converged']}"),
)


def _words_table(report: Mapping[str, Any]) -> list[str]:
    rows = [["", *(title for title, _ in _COLUMNS)]]
    for name, summary in (*report["categories"].items(), ("all", report["overall"])):
        rows.append([name, *(show(summary) for _, show in _COLUMNS)])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) if not column else cell.rjust(width) for column, (cell, width) in enumerate(pairs))
        for pairs in (list(zip(row, widths, strict=True)) for row in rows)
    ]


def _timing_lines(timing: Mapping[str, Any]) -> list[str]:
    lines = []
    for name, title in (("all_cores", "all cores"), ("gui_core", "one core left over")):
        found = timing.get(name)
        if found is None:
            continue
        load = found["load_average"]
        busy = f"; {load['mean']:.1f} processes wanted a core" if load is not None else ""
        lines += [
            f"{title} ({found['threads']} threads, {found['takes']} takes{busy})",
            *(
                f"  {label:<22} mean {_number(found[key], 'mean')}, median {_number(found[key], 'median')}"
                for key, label in (
                    ("real_time_factor", "real-time factor"),
                    ("first_packet_seconds", "first packet, seconds"),
                    ("last_packet_seconds", "last packet, seconds"),
                )
            ),
        ]
    return lines


def _voice_lines(title: str, found: Mapping[str, Any], similarity: str, said: str) -> list[str]:
    return [
        f"{title}: {found['right']} of {found['takes']} takes sound like the right voice "
        f"({_percent(found['share_right'])}), {said} {found[similarity]:.3f}"
    ]


def _original(summary: Mapping[str, Any], which: str) -> str:
    rates = summary["original_word_error_rate"]
    return "-" if rates is None else _percent(rates[which])


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _number(found: Mapping[str, float] | None, which: str) -> str:
    return "-" if found is None else f"{found[which]:.3f}"
