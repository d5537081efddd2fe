"""Refresh the translation files: collect the texts of app/, then compile what is translated.

python packaging/translations.py          # update resources/translations/*.ts and compile them to *.qm
python packaging/translations.py --check  # fail when a .ts file lacks a text or a translation
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
FOLDER = ROOT / "resources" / "translations"
LANGUAGES = ("zh_CN",)


def main() -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing, only tell whether anything is missing")
    check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as temporary:
        declared = Path(temporary) / "declared.py"
        declared.write_text(_declared_texts(), encoding="utf-8")
        sources = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "app").rglob("*.py"))
        return _refresh([*sources, str(declared)], check)


def _declared_texts() -> str:
    """The texts of tables that know no Qt, as calls that the tool finds."""
    from app.core.dubbing.editing import REFUSALS
    from app.core.dubbing.making import NOTES
    from app.core.dubbing.remarks import SENTENCES
    from app.core.published_models import texts
    from app.core.settings_table import sections

    found = {("Models", text): None for text in texts()}
    for context, sentences in (("Remarks", SENTENCES.values()), ("Edits", REFUSALS.values()), ("Making", NOTES)):
        found |= {(context, text): None for text in sentences}
    for card in sorted((ROOT / "resources" / "models").glob("*/model_card.json")):
        raw = json.loads(card.read_text(encoding="utf-8"))
        found |= {
            ("Models", raw[key]): None for key in ("name", "note", "licence", "languages", "training") if raw.get(key)
        }
    for entries in sections().values():
        for setting in entries:
            found |= {("Settings", text): None for text in (setting.label, setting.help, *setting.choice_labels)}
    return "\n".join(f"QT_TRANSLATE_NOOP({json.dumps(context)}, {json.dumps(text, ensure_ascii=False)})"
                     for context, text in found)  # fmt: skip


def _refresh(sources: list[str], check: bool) -> int:
    failed = False
    for language in LANGUAGES:
        committed = FOLDER / f"studio_{language}.ts"
        with tempfile.TemporaryDirectory() as temporary:
            target = Path(temporary) / committed.name
            if committed.exists():
                shutil.copy(committed, target)
            _tool("lupdate", "-no-obsolete", "-locations", "none", *sources, "-ts", str(target))
            text = target.read_text(encoding="utf-8")
            missing = len(re.findall(r'type="unfinished"', text))
            sys.stdout.write(f"{language}: {text.count('<source>')} texts, {missing} without a translation\n")
            if check:
                failed |= missing > 0 or text != committed.read_text(encoding="utf-8")
                continue
            shutil.copy(target, committed)
        _tool("lrelease", "-silent", str(committed), "-qm", str(committed.with_suffix(".qm")))
    return 1 if failed else 0


def _tool(name: str, *arguments: str) -> None:
    # The tools come with PySide6 itself, beside the interpreter that runs this.
    program = shutil.which(f"pyside6-{name}", path=str(Path(sys.executable).parent)) or f"pyside6-{name}"
    subprocess.run([program, *arguments], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
