"""`assent pending`: the questions that wait for a person."""

import click

from assent.cli.database import ago, database_option, json_option, print_json, run
from assent.cli.desk import desk_on
from assent.cli.filechange import diff_lines, file_lines
from assent.cli.irreversible import warnings
from assent.cli.specifier import shown_call, whole_call
from assent.cli.terminal import Style, paint, visible
from assent.gate.always import rule_suggestions
from assent.gate.approval import Approval, Excerpt
from assent.wire.approval import approval_to_json


@click.command()
@click.argument("id", required=False)
@database_option
@json_option
def pending(id: str | None, database: str | None, as_json: bool) -> None:  # noqa: FBT001 - click gives flags by name
    """List the open questions, oldest first; with ID, show that one whole."""
    run(_pending(database, as_json=as_json) if id is None else _one(id, database, as_json=as_json))


async def _pending(database: str | None, *, as_json: bool) -> None:
    async with desk_on(database) as desk:
        found = await desk.pending()
    if as_json:
        print_json([_listed(one) for one in found])
    elif not found:
        click.echo("nothing waits for you", err=True)
    for excerpt in [] if as_json else found:
        _show(excerpt.approval, is_whole=not excerpt.clipped)


async def _one(id: str, database: str | None, *, as_json: bool) -> None:
    async with desk_on(database) as desk:
        approval = await desk.approval(id)
    if as_json:
        print_json(approval_to_json(approval))
        return
    _show(approval, is_whole=True, call=whole_call(approval.call, approval.tool))
    for line in diff_lines(approval.file):
        click.echo(f"    {line}")
    click.echo(paint(f"    digest {approval.digest}", Style.FAINT))


def _listed(excerpt: Excerpt) -> dict[str, object]:
    said = approval_to_json(excerpt.approval)
    return {**said, "clipped": True, "size": excerpt.size, "digest": ""} if excerpt.clipped else said


def _show(approval: Approval, *, is_whole: bool, call: str = "") -> None:
    """A question on a few lines: what would run, why it asks, and what a lasting yes would write."""
    later = paint("  later", Style.FAINT) if approval.later_at is not None else ""
    who = visible(approval.call.agent or "an agent")
    click.echo(f"{paint(approval.id[:8], Style.STRONG)}  {ago(approval.asked_at)}  {who}{later}")
    click.echo(f"    {call or shown_call(approval.call, approval.tool)}")
    click.echo(f"    {paint(visible(approval.decision.because), Style.FAINT)}")
    for line in file_lines(approval.file):
        click.echo(f"    {line}")
    for line in warnings(approval.decision.irreversible):
        click.echo(f"    {line}")
    widths = rule_suggestions(approval) if is_whole else ()
    if widths:
        rules = ", ".join(visible(rule.text) for rule in widths[0].rules)
        click.echo(paint(f"    always would allow {rules}", Style.FAINT))
