"""`assent doctor`: check the installation, the policy files and the database, and suggest fixes."""

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

from assent.cli.base.command import run_async
from assent.cli.base.database import find_database
from assent.cli.base.decider import current_config_paths, load_current_policy
from assent.cli.base.rule_text import missing_input_warnings, rules_missing_input, stored_rules_missing_input
from assent.cli.base.terminal import Style, visible_text, with_style
from assent.cli.hook.files import inspect_hook
from assent.config.paths import ConfigPaths
from assent.config.repository import find_repository, load_trust
from assent.config.workspace import directories_on_disk, gather_facts
from assent.engine.base.tool import Call
from assent.engine.decide import decide, paths_to_resolve
from assent.engine.policy.rule import RuleList
from assent.engine.policy.verdict import Stage, Verdict
from assent.errors import AssentError
from assent.gate.events import pod_differences
from assent.version import __version__

EXTRA_MODULES = {
    "gate": ("alembic", "sqlalchemy"),
    "server": ("pydantic", "starlette", "uvicorn"),
    "postgres": ("asyncpg",),
    "mcp": ("mcp",),
    "chat": ("jsonschema", "pydantic_ai"),
    "browser": ("playwright",),
    "otel": ("opentelemetry",),
    "tui": ("textual",),
    "fleet": ("mcp", "yaml"),
}


class CheckResult(NamedTuple):
    """The result of one check, with advice if the check found a problem."""

    state: str
    """`ok`, `note` or `fail`."""
    what: str
    advice: str = ""


_STATE_STYLES = {"ok": Style.GOOD, "note": Style.CAUTION, "fail": Style.BAD}


@click.command(name="doctor")
@click.option("--json", "as_json", is_flag=True, help="print JSON")
def check_installation(*, as_json: bool) -> int:
    """Check the installation, policy and database; exit status 1 if a check fails."""
    paths = current_config_paths()
    findings = list(run_checks(paths))
    if as_json:
        click.echo(json.dumps([finding._asdict() for finding in findings]))
    else:
        for finding in findings:
            state = with_style(f"{finding.state:<4}", _STATE_STYLES[finding.state])
            click.echo(f"{state}  {visible_text(finding.what)}")
            if finding.advice:
                click.echo(f"      {visible_text(finding.advice)}")
    return 1 if any(finding.state == "fail" for finding in findings) else 0


def run_checks(paths: ConfigPaths) -> Iterator[CheckResult]:
    """Run all checks, from the installation up to the database."""
    yield CheckResult("ok", f"assent {__version__}, Python {platform.python_version()}, {sys.platform}")
    yield _check_engine(paths)
    yield from _check_files(paths)
    yield _run_check_catching_errors("policy", lambda: _check_policy(paths))
    yield from _check_rule_inputs(paths)
    yield _run_check_catching_errors("trust", lambda: _check_trust(paths))
    yield _check_git()
    yield from _check_hook(paths)
    if all(find_spec(name) is not None for name in EXTRA_MODULES["gate"]):
        yield from _check_databases()
    for extra, modules in EXTRA_MODULES.items():
        missing = [name for name in modules if find_spec(name) is None]
        if missing:
            yield CheckResult(
                "note", f"extra `{extra}` is not installed", f"pip install 'assent[{extra}]' if you need it"
            )
        else:
            yield CheckResult("ok", f"extra `{extra}` is installed")


def _check_hook(paths: ConfigPaths) -> Iterator[CheckResult]:
    """Check the hook of Claude Code, if it is installed."""
    found = inspect_hook(paths)
    if not found.installed:
        return
    for problem in found.problems:
        yield CheckResult("fail", f"hook of Claude Code: {problem}", "see `assent hook status`")
    if not found.problems:
        yield CheckResult("ok", "the hook of Claude Code answers")


def _run_check_catching_errors(what: str, look: Callable[[], CheckResult]) -> CheckResult:
    try:
        return look()
    except AssentError as error:
        return CheckResult("fail", f"{what}: {error}")


def _check_engine(paths: ConfigPaths) -> CheckResult:
    """Decide two calls with known verdicts, to detect a shell parser that does not work."""
    from assent.config.policy import SHIPPED_POLICY

    snapshot = SHIPPED_POLICY.snapshot()
    directories = directories_on_disk(paths.cwd, (paths.root,), paths.home)
    found: list[object] = []
    for command in ("echo 'hello'", "rm -rf /"):  # Only a command with quotes needs the shell parser.
        call = Call(tool="Bash", args={"command": command})
        facts = gather_facts(
            directories, paths_to_resolve(call, snapshot, directories), trusts=lambda _: False
        )
        decision = decide(call, snapshot, facts)
        found.append((decision.verdict, decision.stage))
    if found == [(Verdict.RUN, Stage.READ), (Verdict.ASK, Stage.BREAKER)]:
        return CheckResult("ok", "the engine can parse shell lines")
    advice = "reinstall it: pip install --force-reinstall tree-sitter tree-sitter-bash pyahocorasick"
    return CheckResult("fail", "the engine cannot parse shell lines", advice)


def _check_files(paths: ConfigPaths) -> Iterator[CheckResult]:
    present = paths.existing_files()
    for path in (paths.managed_file, paths.user_file, paths.project_file, paths.local_file):
        state = "exists" if path in present else "does not exist, which is fine"
        yield CheckResult("ok", f"{path} {state}")
    if not present:
        yield CheckResult("note", "no policy file: the shipped policy is used", "`assent init` writes one")


def _check_policy(paths: ConfigPaths) -> CheckResult:
    policy = load_current_policy(paths)
    rules = sum(len(found) for found in policy.rules.values())
    summary = f"policy: mode {policy.mode_word or 'none'}, preset {policy.preset}, {rules} rule(s)"
    if policy.held_back:
        advice = "`assent config trust` shows what they would loosen"
        return CheckResult("note", f"{summary}; the repository's own files are not trusted", advice)
    return CheckResult("ok", summary)


def _check_rule_inputs(paths: ConfigPaths) -> Iterator[CheckResult]:
    """Warn about allow rules in policy files that do not name the input of their program."""
    with suppress(AssentError):  # `_check_policy` reports an invalid policy.
        allowed = load_current_policy(paths).rules.get(RuleList.ALLOW, ())
        for sentence in missing_input_warnings(rules_missing_input(rule.text for rule in allowed)):
            yield CheckResult("note", sentence)


def _check_trust(paths: ConfigPaths) -> CheckResult:
    trust = load_trust(paths.trust_file)
    repository = find_repository(paths.cwd)
    if repository is None:
        return CheckResult("ok", "no Git repository here")
    if trust.trusts_repository(repository):
        return CheckResult("ok", f"{repository.directory} is trusted")
    advice = "after `assent config trust`, Git commands that only read run without asking"
    return CheckResult("note", f"{repository.directory} is not trusted", advice)


def _check_databases() -> Iterator[CheckResult]:
    """Check the database that commands use here: its schema, its file permissions and its servers."""
    from assent.stores.admin.connections import describe_address

    address = find_database(None)
    if "://" not in address and not os.path.exists(address):
        yield CheckResult("ok", f"database {address} does not exist yet")
        return
    yield _run_check_catching_errors("database", lambda: _check_database(address))
    for sentence in missing_input_warnings(run_async(stored_rules_missing_input(address))):
        yield CheckResult("note", sentence)
    with suppress(AssentError):  # `_check_database` reports a broken database.
        yield from _check_pods(address)
    if "://" not in address and os.stat(address).st_mode & 0o077:
        yield CheckResult(
            "note", f"other users may read {describe_address(address)}", f"run `chmod 600 {address}`"
        )


def _check_database(address: str) -> CheckResult:
    from assent.stores import migrations as schema
    from assent.stores.admin import maintenance
    from assent.stores.sqlite.file import prepare_file

    if "://" not in address:
        prepare_file(address)
    found = run_async(maintenance.database_status(address))
    schema.check_version(schema.SchemaVersion(found.schema), found.where)
    waiting = found.states.get("pending", 0)
    return CheckResult("ok", f"database {found.where}: schema {found.schema}, {waiting} open question(s)")


def _check_pods(address: str) -> Iterator[CheckResult]:
    """Warn about differences between the servers that use this database."""
    from assent.stores.admin.connections import read_current_schema
    from assent.stores.audit.verify import read_time
    from assent.stores.sql.live import read_pods

    found = run_async(
        read_current_schema(address, lambda connection: read_pods(connection, read_time(connection)))
    )
    for one in pod_differences(found[0], found[1:]) if found else ():
        yield CheckResult("note", one.sentence)


def _check_git() -> CheckResult:
    found = shutil.which("git")
    return CheckResult("ok", f"git: {found}") if found else CheckResult("note", "git is not installed")
