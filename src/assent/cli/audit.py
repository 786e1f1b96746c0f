"""`assent audit`: search, verify, export and archive the audit log."""

import json
import sys
from collections.abc import Callable, Mapping
from typing import ParamSpec, TypeVar

import click

from assent.cli.base.command import CommandGroup, requires_extra, run_async
from assent.cli.base.database import database_option, find_existing_database
from assent.cli.base.output import ProgressLine, format_time, json_option, parse_time, print_json
from assent.cli.base.terminal import Style, visible_text, with_style
from assent.compose import local_person
from assent.gate.audit import Link
from assent.gate.changes import CHANGES, CallRecord
from assent.gate.store import AuditFilter
from assent.wire.audit import row_to_json, row_writer

with requires_extra("gate"):
    from assent.stores.admin import audit as audit_admin
    from assent.stores.audit import verify as chains
    from assent.stores.sqlite.file import atomic_file

Params = ParamSpec("Params")
Result = TypeVar("Result")
ROW_VIEWS = ("entries", "approvals", "changes")


_calls_option = click.option(
    "--calls", is_flag=True, help="include the arguments of calls while they are stored"
)


def _audit_row_options(function: Callable[Params, Result]) -> Callable[Params, Result]:
    """Add the command-line options that select audit rows."""
    options = (
        click.option("--agent", metavar="NAME", help="only rows of this agent"),
        click.option("--tool", metavar="NAME", help="only rows of this tool"),
        click.option("--user", metavar="NAME", help="only calls that this person owned or answered"),
        click.option(
            "--decision", metavar="WORD", help="only this verdict or answer, such as deny or denied"
        ),
        click.option(
            "--since",
            metavar="WHEN",
            help="only rows since then: a date, a time, or a duration ago such as 2h, 7d",
        ),
        click.option(
            "--view",
            type=click.Choice(ROW_VIEWS),
            default="entries",
            help="all rows, only answers, or only changes",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


@click.group(name="audit", cls=CommandGroup)
def audit_commands() -> None:
    """Search, verify, export or archive the audit log."""


@audit_commands.command(name="verify")
@database_option
@json_option
def verify_audit(database: str | None, as_json: bool) -> int:  # noqa: FBT001
    """Verify the hash chain of every process; exit status 1 if a row was changed or is missing."""
    progress = ProgressLine("verifying")
    found = run_async(
        progress.run_with_progress(
            audit_admin.verify_audit(find_existing_database(database), progress.add_rows)
        )
    )
    if as_json:
        print_json(_verification_to_json(found))
    else:
        _print_verification(found)
    return 0 if found.is_intact else 1


@audit_commands.command(name="list")
@_audit_row_options
@click.option("--limit", metavar="N", type=click.IntRange(1, 100_000), default=50, help="the newest N rows")
@_calls_option
@database_option
@json_option
def list_audit_rows(
    database: str | None,
    limit: int,
    as_json: bool,  # noqa: FBT001
    calls: bool,  # noqa: FBT001
    **filters: str | None,
) -> None:
    """List the newest rows of the audit log, oldest first."""
    query = _build_audit_filter(**filters)
    found = run_async(audit_admin.latest_rows(find_existing_database(database), query, limit, calls=calls))
    if as_json:
        print_json(
            [row_to_json(link, record, answers=query.answers, calls=calls) for _, link, record in found]
        )
        return
    for _, link, record in found:
        click.echo("\n".join([audit_row_line(link), *argument_lines(record)]))
    if not found:
        click.echo("no matching rows", err=True)


@audit_commands.command(name="export")
@_audit_row_options
@click.option(
    "--format", "kind", type=click.Choice(("jsonl", "csv")), default="jsonl", help="the output format"
)
@click.option("--output", metavar="FILE", help="write to this new file instead of standard output")
@_calls_option
@database_option
def export_audit_rows(
    database: str | None,
    kind: str,
    output: str | None,
    calls: bool,  # noqa: FBT001
    **filters: str | None,
) -> None:
    """Write all matching rows, oldest first, as JSON Lines or CSV."""
    address, query = find_existing_database(database), _build_audit_filter(**filters)
    progress = ProgressLine("exporting")
    if output is None:
        take = row_writer(sys.stdout, kind, answers=query.answers, calls=calls)
        run_async(
            progress.run_with_progress(
                audit_admin.write_each_row(address, query, take, progress.add_rows, calls=calls)
            )
        )
        return
    with atomic_file(output, "export to") as unfinished, open(unfinished, "w", encoding="utf-8") as file:
        take = row_writer(file, kind, answers=query.answers, calls=calls)
        run_async(
            progress.run_with_progress(
                audit_admin.write_each_row(address, query, take, progress.add_rows, calls=calls)
            )
        )
    click.echo(f"wrote {visible_text(output)}", err=True)


@audit_commands.command(name="archive")
@click.argument("file")
@click.option(
    "--before",
    metavar="WHEN",
    required=True,
    help="archive rows before then: a date, a time, or a duration ago such as 90d",
)
@click.option("--remove", is_flag=True, help="also remove archived rows from the database")
@database_option
def archive_audit_rows(file: str, before: str, database: str | None, *, remove: bool) -> None:
    """Archive all rows before a time in a new FILE; the hash chains continue after them."""
    address, moment = find_existing_database(database), parse_time(before, "--before")
    progress = ProgressLine("archiving")
    closing = audit_admin.archive_rows(
        address, file, before=moment, by=local_person().id, report_progress=progress.add_rows
    )
    segments = run_async(progress.run_with_progress(closing))
    rows = sum(segment.last - segment.first + 1 for segment in segments)
    click.echo(f"archived {rows} row(s) of {len(segments)} chain(s) in {visible_text(file)}")
    if remove:
        _remove_archived_rows(address)


def _remove_archived_rows(address: str) -> None:
    progress = ProgressLine("removing archived rows")
    removed, kept = run_async(
        progress.run_with_progress(audit_admin.remove_archived_rows(address, progress.add_rows))
    )
    click.echo(f"removed {removed} archived row(s) from the database")
    for segment in kept:
        where = visible_text(segment.archive)
        click.echo(
            f"rows {segment.first} to {segment.last} stay: their archive {where} does not exist", err=True
        )


def _build_audit_filter(
    *,
    agent: str | None,
    tool: str | None,
    user: str | None,
    decision: str | None,
    since: str | None,
    view: str | None,
) -> AuditFilter:
    return AuditFilter(
        agent=agent,
        tool=tool,
        user=user,
        decision=decision,
        since=None if since is None else parse_time(since, "--since"),
        answers=view == "approvals",
        changes=view == "changes",
    )


def _verification_to_json(found: chains.Verification) -> dict[str, object]:
    return {
        "holds": found.is_intact,
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


def _print_verification(found: chains.Verification) -> None:
    for sentence in chains.describe_problems(found):
        click.echo(f"{with_style('fail', Style.BAD)}  {visible_text(sentence)}")
    for path in sorted({segment.archive for segment in found.missing_archives}):
        click.echo(
            f"{with_style('note', Style.CAUTION)}  archive {visible_text(path)} does not exist,"
            " so it was not verified"
        )
    if found.cut:
        note = f"{found.cut} chain(s) closed after a crash: see `assent audit list --view changes`"
        click.echo(f"{with_style('note', Style.CAUTION)}  {note}")
    if found.is_intact:
        summary = f"{found.rows} row(s) in {found.chains} chain(s): no row was changed or is missing"
        click.echo(f"{with_style('ok', Style.GOOD)}    {summary}")


_GREEN_WORDS = ("run", "automatic", "approved", "released", "executed")
_YELLOW_WORDS = {"ask", "unknown", *CHANGES}


def audit_row_line(link: Link) -> str:
    """An audit row as one line: time, decision, tool, agent, user and reason."""
    entry = link.entry
    word = entry.decision if entry.decision and not entry.verdict else entry.verdict
    why = " ".join(part for part in (entry.stage, entry.rule) if part) if entry.verdict else entry.reason
    lasting = "always" if entry.with_override else ""
    edited = "edited" if entry.is_edited else ""
    rest = [entry.tool, entry.agent, entry.user, lasting, edited, why]
    details = "  ".join(visible_text(part) for part in rest if part)
    decision = with_style(f"{visible_text(word):<18}", _decision_style(word))
    return f"{with_style(format_time(link.at), Style.FAINT)}  {decision}  {details}"


def argument_lines(record: CallRecord | None) -> list[str]:
    """The arguments that the agent requested, and the executed arguments if a person changed them."""
    if record is None:
        return []
    lines = [f"    asked {_arguments_text(record.asked)}"]
    if record.ran is not None and record.ran != record.asked:
        lines.append(f"    ran   {_arguments_text(record.ran)}")
    return lines


def _arguments_text(args: Mapping[str, object]) -> str:
    return visible_text(json.dumps(dict(args), ensure_ascii=False, sort_keys=True))


def _decision_style(word: str) -> Style:
    if word in _GREEN_WORDS:
        return Style.GOOD
    return Style.CAUTION if word in _YELLOW_WORDS else Style.BAD
