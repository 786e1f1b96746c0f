"""`assent history`: what the hook decided in local mode, newest last."""

from collections import Counter
from collections.abc import Iterable

import click

from assent.cli.decider import current_paths
from assent.cli.output import json_option, print_json
from assent.cli.terminal import Style, styled_verdict, visible, with_style
from assent.engine.policy.verdict import Verdict
from assent.hosts.hook.history import HistoryEntry, read_entries

_VERDICTS = {verdict.word: verdict for verdict in Verdict}


@click.command()
@click.option(
    "--limit", default=50, show_default=True, type=click.IntRange(min=1), help="how many calls to show"
)
@click.option("--all", "everywhere", is_flag=True, help="calls in all projects, not only in this one")
@json_option
def history(*, limit: int, everywhere: bool, as_json: bool) -> None:
    """Show what the hook decided without a server: the tool, the verdict, and the reason."""
    paths = current_paths()
    entries = [entry for entry in read_entries(paths.data) if everywhere or entry.project == paths.root]
    shown = entries[-limit:]
    if as_json:
        print_json([entry.to_json() for entry in shown])
        return
    for entry in shown:
        click.echo(_line(entry))
    click.echo(_summary(entries))


def _line(entry: HistoryEntry) -> str:
    verdict = _VERDICTS.get(entry.verdict)
    word = visible(entry.verdict) if verdict is None else styled_verdict(verdict)
    command = f"({visible(entry.command)})" if entry.command else ""
    agent = f"  agent {visible(entry.agent)}" if entry.agent else ""
    rule = f" `{visible(entry.rule)}`" if entry.rule else ""
    reason = with_style(f"{visible(entry.stage)}{rule}", Style.FAINT)
    return f"{visible(entry.at)}  {word}  {visible(entry.tool)}{command}  {reason}{agent}"


def _summary(entries: Iterable[HistoryEntry]) -> str:
    counts = Counter(entry.verdict for entry in entries)
    if not counts:
        return "no calls are recorded here; `assent hook status` tells whether the hook works"
    words = [f"{counts[word]} {word}" for word in ("run", "ask", "deny")]
    return f"{counts.total()} calls: {', '.join(words)}"
