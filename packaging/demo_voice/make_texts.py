"""Training texts from WordNet (Debian package wordnet-base): its example sentences, then its short definitions.

Writes texts.jsonl into the given folder: one object a line with ``text`` and ``kind`` (example, definition, digits,
names). Nothing in it shares a run of four words with test_sentences.txt.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import re
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORDNET = Path("/usr/share/wordnet")
PARTS = ("noun", "verb", "adj", "adv")
MIN_WORDS, MAX_WORDS, RUN = 3, 14, 4
DIGIT_TEXTS, NAME_TEXTS = 3000, 3000

_QUOTED = re.compile(r'"([^"]+)"')
_CLEAN = re.compile(r"[A-Za-z][A-Za-z' ,.?!-]*[A-Za-z.?!]")
_ABUSIVE = re.compile(r"\((?:[^)]*\b)?(?:slur|offensive|disparag\w*|obscene|vulgar|derogat\w*|ethnic)\b[^)]*\)", re.I)
logger = logging.getLogger("texts")


def glosses() -> Iterator[str]:
    """The gloss of every synset that is not marked as a word to hurt with."""
    for part in PARTS:
        for line in (WORDNET / f"data.{part}").read_text(encoding="latin-1").splitlines():
            head, bar, gloss = line.partition(" | ")
            if bar and head[:1].isdigit() and not _ABUSIVE.search(gloss):
                yield gloss.strip()


def clean(text: str) -> str | None:
    """One line of letters and plain punctuation, 3 to 14 words; None for everything else."""
    text = re.sub(r"\s+", " ", text.replace("`", "'").replace("--", ", ").replace(" ,", ",")).strip(" ,-'")
    text = re.sub(r",+", ",", re.sub(r"\s+([,.?!])", r"\1", text))
    words = text.split()
    if not MIN_WORDS <= len(words) <= MAX_WORDS or not _CLEAN.fullmatch(text):
        return None
    if any(len(word) > 18 for word in words) or re.search(r"\.\s*\S|'{2}|\b[A-Z]{2,}\b|\b[B-HJ-Zb-hj-z]\b", text):
        return None  # abbreviations, initials and single letters are read in a way that the letters do not show
    return text


def examples() -> Iterator[tuple[str, str]]:
    """Quoted sentences, then definitions."""
    definitions = []
    for gloss in glosses():
        yield from (("example", quoted) for quoted in _QUOTED.findall(gloss))
        definition = re.sub(r"\([^)]*\)", " ", gloss.partition('"')[0]).partition(";")[0].partition(":")[0]
        definitions.append(("definition", definition))
    yield from definitions


def nouns() -> list[str]:
    """Common one-word nouns (those with many senses or uses), in the plural, for texts with numbers."""
    counted = []
    for line in (WORDNET / "index.noun").read_text(encoding="latin-1").splitlines():
        fields = line.split()
        if line.startswith(" ") or not re.fullmatch(r"[a-z]{3,9}", fields[0]):
            continue
        if int(fields[-int(fields[2]) - 1]) >= 2 and not fields[0].endswith(("s", "y", "x", "z", "ch", "sh", "ing")):
            counted.append(fields[0] + "s")
    return counted


def _listed(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


NAMES = _listed(
    """
    Alice, Robert, Susan, Helen, Thomas, Peter, Maria, David, Emma, George, Anna, James, Mary, John, Linda,
    Michael, Sarah, William, Karen, Richard, Nancy, Joseph, Lisa, Charles, Betty, Daniel, Margaret, Matthew,
    Sandra, Anthony, Ashley, Mark, Donna, Paul, Emily, Steven, Carol, Andrew, Michelle, Kenneth, Amanda, Joshua,
    Melissa, Kevin, Deborah, Brian, Laura, Edward, Rebecca, Ronald, Sharon, Timothy, Cynthia, Jason, Kathleen,
    Jeffrey, Amy, Ryan, Shirley, Jacob, Angela, Gary, Anne, Nicholas, Ruth, Eric, Brenda, Stephen, Pamela,
    Jonathan, Nicole, Larry, Catherine, Justin, Samantha, Scott, Christine, Frank, Janet, Brandon, Rachel,
    Oliver, Grace, Henry, Julia, Victor, Diana, Arthur, Rose, Martin, Sophie, Walter, Clara, Simon, Lucy,
    Philip, Alan, Irene, Hugo, Nora, Felix, Eva
    """
)
SURNAMES = _listed(
    """
    Miller, Johnson, Wilson, Smith, Brown, Taylor, Anderson, Moore, Jackson, White, Harris, Clark, Lewis,
    Walker, Hall, Young, King, Wright, Hill, Scott, Green, Adams, Baker, Nelson, Carter, Mitchell, Roberts,
    Turner, Phillips, Campbell, Parker, Evans, Edwards, Collins, Stewart, Morris, Rogers, Reed, Cook, Morgan,
    Bell, Murphy, Bailey, Cooper, Howard, Ward, Peterson, Gray, Watson, Brooks
    """
)
PLACES = _listed(
    """
    Boston, Paris, Chicago, Canada, London, Germany, Scotland, Lisbon, New York, Berlin, Madrid, Rome, Vienna,
    Dublin, Sydney, Toronto, Moscow, Tokyo, India, China, Japan, France, Italy, Spain, Poland, Norway, Sweden,
    Denmark, Finland, Ireland, Wales, England, Egypt, Kenya, Brazil, Mexico, Texas, Florida, California, Oregon,
    Denver, Seattle, Atlanta, Houston, Dallas, Detroit, Geneva, Athens, Prague, Budapest, Istanbul, Cairo, Peru,
    Chile, Cuba, Greece, Turkey, Portugal, Austria, Switzerland
    """
)
TIMES = _listed(
    """
    Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday, January, February, March, April, May, June,
    July, August, September, October, November, December
    """
)
DIGIT_FORMS = (
    "there are {n} {things} on the table",
    "she bought {n} {things} and {m} {others}",
    "we need {n} more {things}",
    "he was born in {year}",
    "the house was built in {year}",
    "it happened in {year}, not in {year2}",
    "the bus leaves in {n} minutes",
    "room {n} is on floor {d}",
    "read page {n} and page {m}",
    "only {n} {things} were left",
    "it costs {n} dollars",
    "about {hundreds} {things} were sold last year",
    "my uncle is {n} years old",
    "the war ended in {year}",
    "they walked {n} miles in {d} days",
    "open your book at line {n}",
    "number {n} is the winner",
    "the box holds {n} {things}",
    "between {n} and {m} {things} came",
    "gate {d} opens at {d2}",
    "take bus {n} to the end",
    "nearly {hundreds} people saw the {things}",
    "it was {n} degrees in {month}",
    "the score was {n} to {m}",
)
NAME_FORMS = (
    "{a} and {b} went to {place}",
    "{a} lives near {b} in {place}",
    "Doctor {s} will see you on {day}",
    "{a} {s} was born in {place}",
    "on {day} {a} called {b}",
    "Mister {s} works in {place}",
    "{a} gave the book to {b}",
    "Mrs {s} moved from {place} to {place2}",
    "{a} met {b} {s} in {month}",
    "have you seen {a} or {b} today",
    "{a} asked {b} about {place}",
    "Professor {s} came back from {place} in {month}",
    "{b} and {a} {s} left on {day}",
    "did {a} really sell the house in {place}",
    "{a} writes to {b} from {place}",
    "the {s} family lives in {place}",
    "{month} is warm in {place}",
    "Captain {s} and {a} waited for {b}",
)


def filled(draw: random.Random, things: list[str]) -> Iterator[tuple[str, str]]:
    """Texts with digits, then texts with names."""
    for kind, forms, count in (("digits", DIGIT_FORMS, DIGIT_TEXTS), ("names", NAME_FORMS, NAME_TEXTS)):
        for _ in range(count):
            a, b = draw.sample(NAMES, 2)
            place, place2 = draw.sample(PLACES, 2)
            values = {
                "n": _number(draw), "m": _number(draw), "d": draw.randint(1, 9), "d2": draw.randint(1, 12),
                "year": draw.randint(1500, 2029), "year2": draw.randint(1500, 2029),
                "hundreds": 100 * draw.randint(1, 9), "things": draw.choice(things), "others": draw.choice(things),
                "a": a, "b": b, "s": draw.choice(SURNAMES), "place": place, "place2": place2,
                "day": draw.choice(TIMES[:7]), "month": draw.choice(TIMES[7:]),
            }  # fmt: skip
            yield kind, draw.choice(forms).format(**values)


def _number(draw: random.Random) -> int:
    return draw.randint(2, 20) if draw.random() < 0.4 else draw.randint(2, 99 if draw.random() < 0.6 else 999)


def words_of(text: str) -> list[str]:
    """Words without case and punctuation."""
    return re.findall(r"[a-z0-9']+", text.casefold())


def runs(text: str) -> set[tuple[str, ...]]:
    """All runs of four words."""
    words = words_of(text)
    return {tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}


def test_sentences() -> list[tuple[str, str]]:
    """(category, sentence) of the held-out file."""
    lines = (HERE / "test_sentences.txt").read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines if line and not line.startswith("#")]  # type: ignore[misc]


def dressed(text: str, draw: random.Random) -> str:
    """Mostly with a capital and a full stop, as people write; sometimes bare."""
    if draw.random() < 0.25:
        return text
    text = text[0].upper() + text[1:]
    return text if text[-1] in ".?!" else text + ("?" if re.match(r"(have|did|do|does|is|are)\b", text, re.I) else ".")


def main() -> None:
    """See the top of this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    draw = random.Random(options.seed)
    forbidden = set().union(*(runs(sentence) for _, sentence in test_sentences()))
    seen = {tuple(words_of(sentence)) for _, sentence in test_sentences()}
    counts: dict[str, int] = {}
    kept = []
    sources = [(kind, text) for kind, raw in examples() if (text := clean(raw)) is not None]
    for kind, text in (*sources, *filled(draw, nouns())):
        key = tuple(words_of(text))
        reason = "repeated" if key in seen else "shares a run with the test" if runs(text) & forbidden else None
        seen.add(key)
        counts[reason or kind] = counts.get(reason or kind, 0) + 1
        if reason is None:
            kept.append({"text": dressed(text, draw), "kind": kind})
    options.folder.mkdir(parents=True, exist_ok=True)
    with (options.folder / "texts.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(entry) + "\n" for entry in kept)
    logger.info("%d texts: %s", len(kept), ", ".join(f"{count} {name}" for name, count in sorted(counts.items())))


if __name__ == "__main__":
    main()
