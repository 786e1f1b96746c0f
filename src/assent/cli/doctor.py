"""`assent doctor`: what is installed, what is readable, and what to do about the rest."""

import json
import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from typing import NamedTuple

import click

from assent import __version__
from assent.cli.database import find_database
from assent.cli.decider import current_paths, load_current_policy
from assent.cli.root import run_async
from assent.cli.rule_text import input_warnings, rules_without_input, stored_rules_without_input
from assent.cli.terminal import Style, paint, visible
from assent.config.paths import ConfigPaths
from assent.config.repository import find_repository
from assent.config.trust import load_trust
from assent.config.workspace import gather_facts, real_place
from assent.engine.decide import decide, paths_to_resolve
from assent.engine.model import Call
from assent.engine.policy.rule import RuleList
from assent.engine.verdict import Stage, Verdict
from assent.errors import AssentError
from assent.gate.pods import differences

EXTRAS = {
    "gate": ("alembic", "sqlalchemy"),
    "server": ("fastapi", "sqlalchemy", "uvicorn"),
    "postgres": ("asyncpg",),
    "mcp": ("mcp",),
    "chat": ("pydantic_ai",),
    "browser": ("playwright",),
    "otel": ("opentelemetry",),
}


class Finding(NamedTuple):
    """One thing that was looked at: how it is, and what to do if that is not well."""

    state: str
    """`ok`, `note` or `fail`."""
    what: str
    advice: str = ""


_STYLES = {"ok": Style.GOOD, "note": Style.CAUTION, "fail": Style.BAD}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def doctor(*, as_json: bool) -> int:
    """Look at everything Assent needs; exit status 1 when something fails."""
    where = current_paths()
    findings = list(find_all(where))
    if as_json:
        click.echo(json.dumps([finding._asdict() for finding in findings]))
    else:
        for finding in findings:
            click.echo(f"{paint(f'{finding.state:<4}', _STYLES[finding.state])}  {visible(finding.what)}")
            if finding.advice:
                click.echo(f"      {visible(finding.advice)}")
    return 1 if any(finding.state == "fail" for finding in findings) else 0


def find_all(where: ConfigPaths) -> Iterator[Finding]:
    """Every finding, from the ground up."""
    yield Finding("ok", f"assent {__version__}, Python {platform.python_version()}, {sys.platform}")
    yield _engine(where)
    yield from _files(where)
    yield _attempt("policy", lambda: _policy(where))
    yield from _open_rules(where)
    yield _attempt("trust", lambda: _trust(where))
    yield _git()
    if all(find_spec(name) is not None for name in EXTRAS["gate"]):
        yield from _databases()
    for extra, modules in EXTRAS.items():
        missing = [name for name in modules if find_spec(name) is None]
        if missing:
            yield Finding(
                "note", f"extra `{extra}` is not installed", f"pip install 'assent[{extra}]' if you need it"
            )
        else:
            yield Finding("ok", f"extra `{extra}` is installed")


def _attempt(what: str, look: Callable[[], Finding]) -> Finding:
    try:
        return look()
    except AssentError as error:
        return Finding("fail", f"{what}: {error}")


def _engine(where: ConfigPaths) -> Finding:
    """Decide two calls whose answers are known, so that a broken grammar is noticed."""
    from assent.config.policy import SHIPPED_POLICY

    snapshot = SHIPPED_POLICY.snapshot()
    place = real_place(where.cwd, (where.root,), where.home)
    found: list[object] = []
    for command in ("echo 'hello'", "rm -rf /"):  # quotes: plain words would not need the grammar
        call = Call(tool="Bash", args={"command": command})
        facts = gather_facts(place, paths_to_resolve(call, snapshot, place), trusts=lambda _: False)
        decision = decide(call, snapshot, facts)
        found.append((decision.verdict, decision.stage))
    if found == [(Verdict.RUN, Stage.READ), (Verdict.ASK, Stage.BREAKER)]:
        return Finding("ok", "the engine reads shell lines")
    advice = "reinstall it: pip install --force-reinstall tree-sitter tree-sitter-bash pyahocorasick"
    return Finding("fail", "the engine does not read shell lines as it should", advice)


def _files(where: ConfigPaths) -> Iterator[Finding]:
    present = where.existing_files()
    for path in (where.managed_file, where.user_file, where.project_file, where.local_file):
        state = "is there" if path in present else "is not there, which is fine"
        yield Finding("ok", f"{path} {state}")
    if not present:
        yield Finding("note", "no policy file: the shipped policy holds", "`assent init` writes one")


def _policy(where: ConfigPaths) -> Finding:
    policy = load_current_policy(where)
    rules = sum(len(found) for found in policy.rules.values())
    said = f"policy: mode {policy.mode_word or 'none'}, preset {policy.preset}, {rules} rule(s)"
    if policy.held_back:
        advice = "`assent config trust` shows what they would loosen"
        return Finding("note", f"{said}; the repository's own files are not trusted", advice)
    return Finding("ok", said)


def _open_rules(where: ConfigPaths) -> Iterator[Finding]:
    """Allow rules of files that say nothing of what is fed to their program."""
    with suppress(AssentError):  # What is wrong with the policy itself was said already.
        allowed = load_current_policy(where).rules.get(RuleList.ALLOW, ())
        for sentence in input_warnings(rules_without_input(rule.text for rule in allowed)):
            yield Finding("note", sentence)


def _trust(where: ConfigPaths) -> Finding:
    trust = load_trust(where.trust_file)
    repository = find_repository(where.cwd)
    if repository is None:
        return Finding("ok", "no Git repository here")
    if trust.trusts_repository(repository):
        return Finding("ok", f"{repository.directory} is trusted")
    advice = "`assent config trust` lets Git commands that only read run unasked"
    return Finding("note", f"{repository.directory} is not trusted", advice)


def _databases() -> Iterator[Finding]:
    """The database that commands would use here: readable, of a schema we know, and only its owner's."""
    from assent.stores.admin.connections import describe_address

    address = find_database(None)
    if "://" not in address and not os.path.exists(address):
        yield Finding("ok", f"database {address} is not there yet")
        return
    yield _attempt("database", lambda: _database(address))
    for sentence in input_warnings(run_async(stored_rules_without_input(address))):
        yield Finding("note", sentence)
    with suppress(AssentError):  # What is wrong with the database itself was said already.
        yield from _pods(address)
    if "://" not in address and os.stat(address).st_mode & 0o077:
        yield Finding("note", f"others may read {describe_address(address)}", f"run `chmod 600 {address}`")


def _database(address: str) -> Finding:
    from assent.stores import migrations as schema
    from assent.stores.admin import maintenance
    from assent.stores.sqlite.file import prepare_file

    if "://" not in address:
        prepare_file(address)
    found = run_async(maintenance.status(address))
    schema.check_version(schema.SchemaVersion(found.schema), found.where)
    waiting = found.states.get("pending", 0)
    return Finding("ok", f"database {found.where}: schema {found.schema}, {waiting} question(s) wait")


def _pods(address: str) -> Iterator[Finding]:
    """What differs between the servers that use this database now."""
    from assent.stores.admin.connections import query
    from assent.stores.audit.verify import read_time
    from assent.stores.sql.live import read_pods

    found = run_async(query(address, lambda connection: read_pods(connection, read_time(connection))))
    for one in differences(found[0], found[1:]) if found else ():
        yield Finding("note", one.sentence)


def _git() -> Finding:
    found = shutil.which("git")
    return Finding("ok", f"git: {found}") if found else Finding("note", "git is not installed")
