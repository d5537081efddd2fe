"""From what a person types into the search box to SQL over the full-text index of the takes."""

from __future__ import annotations

_TRIGRAM = 3  # the index of the takes knows runs of three characters


def matching(query: str) -> tuple[list[str], list[object]]:
    """Return conditions on ``t`` (takes) and their values: every word of ``query`` stands in the text or the note.

    Case does not matter (for words of one or two characters: only that of ASCII does not). Every character is
    taken as it is; nothing is an operator.
    """
    words = [word for word in query.replace("\0", " ").split() if word]
    if not words:
        return ["1"], []
    long = [word for word in words if len(word) >= _TRIGRAM]
    conditions, values = [], []
    if long:
        conditions.append("take_search MATCH ?")
        values.append(" ".join('"' + word.replace('"', '""') + '"' for word in long))
    for word in words:
        if len(word) < _TRIGRAM:
            pattern = "%" + word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
            conditions.append("(text LIKE ? ESCAPE '\\' OR note LIKE ? ESCAPE '\\')")
            values += [pattern, pattern]
    return [f"t.seq IN (SELECT rowid FROM take_search WHERE {' AND '.join(conditions)})"], [*values]
