"""`assent db`: upgrade, check, back up and restore a database."""

from dataclasses import asdict

import click

from assent.cli.base.command import CommandGroup, requires_extra, run_async
from assent.cli.base.database import database_option, find_database, find_existing_database
from assent.cli.base.output import ProgressLine, format_time, json_option, print_json
from assent.cli.base.rule_text import missing_input_warnings, stored_rules_missing_input
from assent.cli.base.terminal import Style, visible_text, with_style
from assent.wire.fields import maybe_moment_to_json

with requires_extra("gate"):
    from assent.stores.admin import maintenance
    from assent.stores.admin.connections import describe_address
    from assent.stores.migrations import HEAD, SchemaVersion


@click.group(name="db", cls=CommandGroup)
def database_commands() -> None:
    """Upgrade, check, back up or restore a database."""


@database_commands.command(name="status")
@database_option
@json_option
def show_database_status(database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Show the schema of a database, the schema that this version requires, and the number of rows."""
    found = run_async(
        ProgressLine("counting").run_with_progress(
            maintenance.database_status(find_existing_database(database))
        )
    )
    if as_json:
        print_json({**asdict(found), "newest": maybe_moment_to_json(found.newest)})
        return
    click.echo(visible_text(found.where))
    click.echo(f"schema {found.schema or 'none'}; {_schema_advice(found)}")
    if found.schema:
        _print_row_counts(found)


@database_commands.command(name="check")
@database_option
@json_option
def check_database(database: str | None, as_json: bool) -> int:  # noqa: FBT001
    """Check pages, rows and the hash chains of the audit log; exit status 1 if something is damaged."""
    address = find_existing_database(database)
    progress = ProgressLine("checking")
    problems = run_async(progress.run_with_progress(maintenance.check_database(address, progress.add_rows)))
    if as_json:
        print_json({"where": describe_address(address), "problems": problems})
    for problem in [] if as_json else problems:
        click.echo(f"{with_style('fail', Style.BAD)}  {visible_text(problem)}")
    if not as_json and not problems:
        click.echo(
            f"{with_style('ok', Style.GOOD)}    no problems in {visible_text(describe_address(address))}"
        )
    return 1 if problems else 0


@database_commands.command(name="upgrade")
@database_option
def upgrade_database(database: str | None) -> None:
    """Upgrade a database to the schema of this version in one transaction; a file is backed up first."""
    address = find_existing_database(database)
    before = run_async(maintenance.database_status(address)).schema
    backup_file = run_async(
        ProgressLine("upgrading").run_with_progress(maintenance.upgrade_database(address))
    )
    where = visible_text(describe_address(address))
    if SchemaVersion(before).is_usable:
        click.echo(f"{where} already has schema {before}")
    else:
        click.echo(f"{where} now has schema {HEAD}")
    if backup_file:
        click.echo(f"backup: {visible_text(backup_file)}")
    for sentence in missing_input_warnings(run_async(stored_rules_missing_input(address))):
        click.echo(f"{with_style('note', Style.CAUTION)}  {visible_text(sentence)}")


@database_commands.command(name="backup")
@click.argument("file")
@database_option
def back_up_database(file: str, database: str | None) -> None:
    """Copy a consistent snapshot into a new FILE; the database stays in use."""
    size = run_async(
        ProgressLine("backing up").run_with_progress(
            maintenance.back_up_database(find_existing_database(database), file)
        )
    )
    click.echo(f"wrote {visible_text(file)} ({_byte_size_text(size)})")


@database_commands.command(name="restore")
@click.argument("file")
@database_option
def restore_database(file: str, database: str | None) -> None:
    """Create a new database from the backup FILE; an existing database is never overwritten."""
    address = find_database(database)
    run_async(ProgressLine("restoring").run_with_progress(maintenance.restore_database(address, file)))
    click.echo(f"restored {visible_text(file)} to {visible_text(describe_address(address))}")


def _schema_advice(found: maintenance.DatabaseStatus) -> str:
    version = SchemaVersion(found.schema)
    if version.is_usable:
        return f"this version requires {found.wanted}: up to date"
    if version.is_newer:
        return f"this version requires {found.wanted}: use a newer Assent"
    return f"this version requires {found.wanted}: run `assent db upgrade`"


def _print_row_counts(found: maintenance.DatabaseStatus) -> None:
    states = ", ".join(f"{count} {state}" for state, count in sorted(found.states.items()))
    for table in ("approvals", "grants", "rules", "tiers", "conversations", "audit"):
        more = f" ({states})" if table == "approvals" and states else ""
        click.echo(f"{found.rows[table]:>9} {table}{more}")
    newest = "" if found.newest is None else f", last written {format_time(found.newest)}"
    click.echo(f"{_byte_size_text(found.bytes)}{newest}")


def _byte_size_text(count: int) -> str:
    size = float(count)
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
