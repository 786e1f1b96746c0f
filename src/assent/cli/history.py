"""`assent history`: what the hook decided in local mode, newest last."""

from collections import Counter
from collections.abc import Iterable

import click

from assent.cli.base.decider import current_config_paths
from assent.cli.base.output import json_option, print_json
from assent.cli.base.terminal import Style, styled_verdict, visible_text, with_style
from assent.engine.policy.verdict import Verdict
from assent.hosts.hook.history import HistoryEntry, read_history_entries

_VERDICTS = {verdict.word: verdict for verdict in Verdict}


@click.command(name="history")
@click.option(
    "--limit", default=50, show_default=True, type=click.IntRange(min=1), help="how many calls to show"
)
@click.option("--all", "everywhere", is_flag=True, help="calls in all projects, not only in this one")
@json_option
def show_history(*, limit: int, everywhere: bool, as_json: bool) -> None:
    """Show what the hook decided without a server: the tool, the verdict, and the reason."""
    paths = current_config_paths()
    entries = [
        entry for entry in read_history_entries(paths.data) if everywhere or entry.project == paths.root
    ]
    shown = entries[-limit:]
    if as_json:
        print_json([entry.to_json() for entry in shown])
        return
    for entry in shown:
        click.echo(_entry_line(entry))
    click.echo(_verdict_counts_text(entries))


def _entry_line(entry: HistoryEntry) -> str:
    verdict = _VERDICTS.get(entry.verdict)
    word = visible_text(entry.verdict) if verdict is None else styled_verdict(verdict)
    command = f"({visible_text(entry.command)})" if entry.command else ""
    agent = f"  agent {visible_text(entry.agent)}" if entry.agent else ""
    rule = f" `{visible_text(entry.rule)}`" if entry.rule else ""
    reason = with_style(f"{visible_text(entry.stage)}{rule}", Style.FAINT)
    return f"{visible_text(entry.at)}  {word}  {visible_text(entry.tool)}{command}  {reason}{agent}"


def _verdict_counts_text(entries: Iterable[HistoryEntry]) -> str:
    counts = Counter(entry.verdict for entry in entries)
    if not counts:
        return "no calls are recorded here; `assent hook status` shows whether the hook works"
    words = [f"{counts[word]} {word}" for word in ("run", "ask", "deny")]
    calls = "1 call" if counts.total() == 1 else f"{counts.total()} calls"
    return f"{calls}: {', '.join(words)}"
