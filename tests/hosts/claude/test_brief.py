"""BRIEF.md: the status is replaced, decisions are added, and everything else stays."""

from pathlib import Path

import pytest

from assent.errors import AssentError, InputError
from assent.hosts.claude.brief import Brief, changed_brief

TEXT = (
    "# Brief\n\n## Goal\nA shop.\n\n## Current Status\nNothing.\n\n## Decisions Log\n- 2026-01-01: Python\n"
)


def test_the_current_status_is_replaced() -> None:
    changed = changed_brief(TEXT, "current_status", "It works.\n# Not a heading", today="2026-11-18")

    assert changed == TEXT.replace("Nothing.", "It works.\n # Not a heading")


def test_a_decision_is_added() -> None:
    changed = changed_brief(TEXT, "decisions_log", "use\nSQLite", today="2026-11-18")

    assert changed == TEXT + "- 2026-11-18: use SQLite\n"


def test_a_missing_section_is_added_at_the_end() -> None:
    assert changed_brief("", "current_status", "ok", today="") == "## Current Status\nok\n"
    assert changed_brief("# A\n", "current_status", "ok", today="") == "# A\n\n## Current Status\nok\n"


def test_the_file_is_read_and_written(tmp_path: Path) -> None:
    brief = Brief(str(tmp_path))
    assert brief.text == ""

    brief.change("current_status", "ok")

    assert brief.text == (tmp_path / "BRIEF.md").read_text() == "## Current Status\nok\n"
    with pytest.raises(InputError, match="is no section"):
        brief.change("goal", "x")
    with pytest.raises(InputError, match="larger than"):
        brief.change("current_status", "x" * 200_001)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "BRIEF.md").symlink_to("/etc/hostname")

    with pytest.raises(AssentError, match=r"BRIEF\.md cannot be read"):
        _ = Brief(str(tmp_path)).text
