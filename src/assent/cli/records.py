"""Rows of the audit as a terminal shows them."""

import json
from collections.abc import Mapping

from assent.cli.moments import shown
from assent.cli.terminal import Style, paint, visible
from assent.gate.audit import Link
from assent.gate.changes import CHANGES
from assent.gate.history import CallRecord

_GOOD = ("run", "automatic", "approved", "released", "executed")
_CAREFUL = {"ask", "unknown", *CHANGES}


def line_of(link: Link) -> str:
    """A row on one line: when, what was decided, about which tool, whose it was, and why."""
    entry = link.entry
    word = entry.decision if entry.decision and not entry.verdict else entry.verdict
    why = " ".join(part for part in (entry.stage, entry.rule) if part) if entry.verdict else entry.reason
    lasting = "always" if entry.with_override else ""
    edited = "edited" if entry.is_edited else ""
    rest = [entry.tool, entry.agent, entry.user, lasting, edited, why]
    told = "  ".join(visible(part) for part in rest if part)
    return f"{paint(shown(link.at), Style.FAINT)}  {paint(f'{visible(word):<18}', _style(word))}  {told}"


def call_lines(record: CallRecord | None) -> list[str]:
    """What was asked and, where it is something else, what ran; one line each."""
    if record is None:
        return []
    lines = [f"    asked {_args(record.asked)}"]
    if record.ran is not None and record.ran != record.asked:
        lines.append(f"    ran   {_args(record.ran)}")
    return lines


def _args(args: Mapping[str, object]) -> str:
    return visible(json.dumps(dict(args), ensure_ascii=False, sort_keys=True))


def _style(word: str) -> Style:
    if word in _GOOD:
        return Style.GOOD
    return Style.CAREFUL if word in _CAREFUL else Style.BAD
