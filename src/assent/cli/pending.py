"""`assent pending`: the questions that wait for a person."""

import click

from assent.cli.database import ago, database_option, json_option, print_json, run
from assent.cli.desk import desk_on
from assent.cli.specifier import shown_call
from assent.cli.terminal import Style, paint, visible
from assent.gate.approval import Approval
from assent.gate.remember import offered
from assent.wire.approval import approval_to_json


@click.command()
@database_option
@json_option
def pending(database: str | None, as_json: bool) -> None:  # noqa: FBT001 - click gives flags by name
    """List the open questions, oldest first."""
    run(_pending(database, as_json=as_json))


async def _pending(database: str | None, *, as_json: bool) -> None:
    async with desk_on(database) as desk:
        found = await desk.pending()
    if as_json:
        print_json([approval_to_json(one) for one in found])
    elif not found:
        click.echo("nothing waits for you", err=True)
    for approval in [] if as_json else found:
        _show(approval)


def _show(approval: Approval) -> None:
    """A question on a few lines: what would run, why it asks, and what a lasting yes would write."""
    later = paint("  later", Style.FAINT) if approval.later_at is not None else ""
    who = visible(approval.call.agent or "an agent")
    click.echo(f"{paint(approval.id[:8], Style.STRONG)}  {ago(approval.asked_at)}  {who}{later}")
    click.echo(f"    {shown_call(approval.call, approval.tool)}")
    click.echo(f"    {paint(visible(approval.decision.because), Style.FAINT)}")
    widths = offered(approval)
    if widths:
        rules = ", ".join(visible(rule.text) for rule in widths[0].rules)
        click.echo(paint(f"    always would allow {rules}", Style.FAINT))
