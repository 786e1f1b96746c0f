"""`assent audit`: look through what was decided and answered, verify that it is whole, archive it."""

import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import click

from assent.cli.database import database_option, existing, extra, json_option, print_json, run
from assent.cli.group import Group
from assent.cli.moments import moment_of
from assent.cli.progress import Progress
from assent.cli.records import call_lines, line_of
from assent.cli.terminal import Style, paint, visible
from assent.compose import local_person
from assent.gate.audit import Sought
from assent.wire.audit import row_to_json, row_writer

with extra("gate"):
    from assent.stores.admin import audit as audit_admin
    from assent.stores.audit import verify as chains
    from assent.stores.sqlite.file import atomic_file

Params = ParamSpec("Params")
Result = TypeVar("Result")
VIEWS = ("entries", "approvals", "changes")


_calls = click.option("--calls", is_flag=True, help="with what was asked and what ran, until it is scrubbed")


def _sought(function: Callable[Params, Result]) -> Callable[Params, Result]:
    """The options that say which rows are meant."""
    options = (
        click.option("--agent", metavar="NAME", help="only what this agent did"),
        click.option("--tool", metavar="NAME", help="only calls of this tool"),
        click.option("--user", metavar="NAME", help="only what this person owned or answered"),
        click.option(
            "--decision", metavar="WORD", help="only this verdict or answer, such as deny or denied"
        ),
        click.option("--since", metavar="WHEN", help="only from then on: a date, a time, or 2h, 7d ago"),
        click.option(
            "--view",
            type=click.Choice(VIEWS),
            default="entries",
            help="every row, or only answers or changes",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


@click.group(cls=Group)
def audit() -> None:
    """Look through what was decided; check that nothing of it changed; archive it."""


@audit.command()
@database_option
@json_option
def verify(database: str | None, as_json: bool) -> int:  # noqa: FBT001
    """Follow the chain of every process; exit status 1 when a row was altered or is missing."""
    progress = Progress("following the chains")
    found = run(progress.over(audit_admin.verify(existing(database), progress.tell)))
    if as_json:
        print_json(_verified(found))
    else:
        _tell(found)
    return 0 if found.holds else 1


@audit.command(name="list")
@_sought
@click.option("--limit", metavar="N", type=click.IntRange(1, 100_000), default=50, help="the newest N rows")
@_calls
@database_option
@json_option
def list_(
    database: str | None,
    limit: int,
    as_json: bool,  # noqa: FBT001
    calls: bool,  # noqa: FBT001
    **sought: str | None,
) -> None:
    """List the newest rows, oldest first."""
    meant = _meant(**sought)
    found = run(audit_admin.latest_rows(existing(database), meant, limit, calls=calls))
    if as_json:
        print_json(
            [row_to_json(link, record, answers=meant.answers, calls=calls) for _, link, record in found]
        )
        return
    for _, link, record in found:
        click.echo("\n".join([line_of(link), *call_lines(record)]))
    if not found:
        click.echo("the audit has no such row", err=True)


@audit.command()
@_sought
@click.option(
    "--format", "kind", type=click.Choice(("jsonl", "csv")), default="jsonl", help="how to write it"
)
@click.option("--output", metavar="FILE", help="a new file to write to, instead of standard output")
@_calls
@database_option
def export(
    database: str | None,
    kind: str,
    output: str | None,
    calls: bool,  # noqa: FBT001
    **sought: str | None,
) -> None:
    """Write every row that is meant, oldest first, as JSON Lines or for a spreadsheet."""
    address, meant = existing(database), _meant(**sought)
    progress = Progress("exporting")
    if output is None:
        take = row_writer(sys.stdout, kind, answers=meant.answers, calls=calls)
        run(progress.over(audit_admin.for_each_row(address, meant, take, progress.tell, calls=calls)))
        return
    with atomic_file(output, "export to") as unfinished, open(unfinished, "w", encoding="utf-8") as file:
        take = row_writer(file, kind, answers=meant.answers, calls=calls)
        run(progress.over(audit_admin.for_each_row(address, meant, take, progress.tell, calls=calls)))
    click.echo(f"wrote {visible(output)}", err=True)


@audit.command()
@click.argument("file")
@click.option("--before", metavar="WHEN", required=True, help="rows from before then: a date, a time, or 90d")
@click.option("--remove", is_flag=True, help="take archived rows out of the database, too")
@database_option
def archive(file: str, before: str, database: str | None, *, remove: bool) -> None:
    """Close what was written before a moment into a new FILE; the chains go on behind it."""
    address, moment = existing(database), moment_of(before, "--before")
    progress = Progress("archiving")
    closing = audit_admin.archive(address, file, before=moment, by=local_person().id, tell=progress.tell)
    segments = run(progress.over(closing))
    rows = sum(segment.last - segment.first + 1 for segment in segments)
    click.echo(f"archived {rows} row(s) of {len(segments)} chain(s) in {visible(file)}")
    if remove:
        _remove(address)


def _remove(address: str) -> None:
    progress = Progress("removing archived rows")
    removed, kept = run(progress.over(audit_admin.remove_archived(address, progress.tell)))
    click.echo(f"removed {removed} archived row(s) from the database")
    for segment in kept:
        where = visible(segment.archive)
        click.echo(
            f"rows {segment.first} to {segment.last} stay: their archive {where} is not there", err=True
        )


def _meant(
    *,
    agent: str | None,
    tool: str | None,
    user: str | None,
    decision: str | None,
    since: str | None,
    view: str | None,
) -> Sought:
    return Sought(
        agent=agent,
        tool=tool,
        user=user,
        decision=decision,
        since=None if since is None else moment_of(since, "--since"),
        answers=view == "approvals",
        changes=view == "changes",
    )


def _verified(found: chains.Verification) -> dict[str, object]:
    return {
        "holds": found.holds,
        "chains": found.chains,
        "rows": found.rows,
        "breaks": [
            {"writer": one.writer, "number": one.number, "problem": one.problem} for one in found.breaks
        ],
        "unrecorded": list(found.unrecorded),
        "unclaimed": list(found.unclaimed),
        "closed_after_crash": found.cut,
        "archives_elsewhere": sorted({segment.archive for segment in found.missing_archives}),
    }


def _tell(found: chains.Verification) -> None:
    for sentence in chains.describe_problems(found):
        click.echo(f"{paint('fail', Style.BAD)}  {visible(sentence)}")
    for path in sorted({segment.archive for segment in found.missing_archives}):
        click.echo(
            f"{paint('note', Style.CAREFUL)}  archive {visible(path)} is not there; nobody looked into it"
        )
    if found.cut:
        told = (
            f"{found.cut} chain(s) closed after a crash: `assent audit list --view changes` says from when on"
        )
        click.echo(f"{paint('note', Style.CAREFUL)}  {told}")
    if found.holds:
        told = f"{found.rows} row(s) in {found.chains} chain(s): nothing was altered, nothing is missing"
        click.echo(f"{paint('ok', Style.GOOD)}    {told}")
