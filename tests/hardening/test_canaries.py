"""What people wrote stays out of the logs, and a line that lets it through is noticed."""

from __future__ import annotations

import logging

from tests.hardening import canaries
from tests.hardening.canaries import NAME, PATH, heard, listening


def test_nothing_that_people_wrote_is_in_the_logs(tmp_path):
    assert heard(tmp_path) == []


def test_a_line_that_says_too_much_is_noticed():
    with listening() as listener:
        logging.getLogger("app.somewhere").debug("saved %s", NAME)
        logging.getLogger("filelock").debug("locked %s", f"/home/{PATH}")
    found = listener.found()
    assert any("app.somewhere" in hit for hit in found) and not any("the log file" in hit for hit in found)
    with listening() as listener:
        logging.getLogger("app.somewhere").debug("saved " + NAME)  # noqa: G003
    assert any("the log file" in hit for hit in listener.found())


def test_the_canaries_are_in_what_is_said(tmp_path):
    said = " ".join(" ".join(argv) for argv in canaries.commands(tmp_path))
    assert all(canary in said for canary in canaries.CANARIES)
