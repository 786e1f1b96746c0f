"""`assent db`: what an operator does with a database."""

from dataclasses import asdict

import click

from assent.cli.database import address_of, database_option, existing, extra, json_option, print_json, run
from assent.cli.group import Group
from assent.cli.moments import shown
from assent.cli.progress import Progress
from assent.cli.terminal import Style, paint, visible
from assent.cli.unfed import open_rules_in, sentences
from assent.wire.fields import maybe_moment_to_json

with extra("gate"):
    from assent.stores.admin import maintenance
    from assent.stores.admin.connections import describe_address
    from assent.stores.migrations import HEAD, SchemaVersion


@click.group(cls=Group)
def db() -> None:
    """Upgrade, check, back up or restore a database."""


@db.command()
@database_option
@json_option
def status(database: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Show the schema that a database has and the one that this version wants, and how much is in it."""
    found = run(Progress("counting").over(maintenance.status(existing(database))))
    if as_json:
        print_json({**asdict(found), "newest": maybe_moment_to_json(found.newest)})
        return
    click.echo(visible(found.where))
    click.echo(f"schema {found.schema or 'none'}; {_verdict(found)}")
    if found.schema:
        _tell(found)


@db.command()
@database_option
@json_option
def check(database: str | None, as_json: bool) -> int:  # noqa: FBT001
    """Look for damage: pages, rows, and the chains of the audit; exit status 1 when there is any."""
    address = existing(database)
    progress = Progress("checking")
    problems = run(progress.over(maintenance.check(address, progress.tell)))
    if as_json:
        print_json({"where": describe_address(address), "problems": problems})
    for problem in [] if as_json else problems:
        click.echo(f"{paint('fail', Style.BAD)}  {visible(problem)}")
    if not as_json and not problems:
        click.echo(f"{paint('ok', Style.GOOD)}    nothing is wrong with {visible(describe_address(address))}")
    return 1 if problems else 0


@db.command()
@database_option
def upgrade(database: str | None) -> None:
    """Bring a database to this version's schema, all of it or not at all; a file is backed up first."""
    address = existing(database)
    before = run(maintenance.status(address)).schema
    kept = run(Progress("upgrading").over(maintenance.upgrade(address)))
    where = visible(describe_address(address))
    if SchemaVersion(before).is_usable:
        click.echo(f"{where} has schema {before} already")
    else:
        click.echo(f"{where} has schema {HEAD} now")
    if kept:
        click.echo(f"as it was before: {visible(kept)}")
    for sentence in sentences(open_rules_in(address)):
        click.echo(f"{paint('note', Style.CAREFUL)}  {visible(sentence)}")


@db.command()
@click.argument("file")
@database_option
def backup(file: str, database: str | None) -> None:
    """Copy everything, as of one moment, into a new FILE; whoever uses the database is not held up."""
    size = run(Progress("backing up").over(maintenance.backup(existing(database), file)))
    click.echo(f"wrote {visible(file)} ({_size(size)})")


@db.command()
@click.argument("file")
@database_option
def restore(file: str, database: str | None) -> None:
    """Make a new database of the backup FILE; one that is there already is never written over."""
    address = address_of(database)
    run(Progress("restoring").over(maintenance.restore(address, file)))
    click.echo(f"restored {visible(file)} to {visible(describe_address(address))}")


def _verdict(found: maintenance.Status) -> str:
    standing = SchemaVersion(found.schema)
    if standing.is_usable:
        return f"this version wants {found.wanted}, which it has"
    if standing.is_newer:
        return f"this version wants {found.wanted}: use a newer Assent"
    return f"this version wants {found.wanted}: run `assent db upgrade`"


def _tell(found: maintenance.Status) -> None:
    states = ", ".join(f"{count} {state}" for state, count in sorted(found.states.items()))
    for table in ("approvals", "grants", "rules", "tiers", "conversations", "audit"):
        more = f" ({states})" if table == "approvals" and states else ""
        click.echo(f"{found.rows[table]:>9} {table}{more}")
    newest = "" if found.newest is None else f", last written {shown(found.newest)}"
    click.echo(f"{_size(found.bytes)}{newest}")


def _size(count: int) -> str:
    size = float(count)
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
