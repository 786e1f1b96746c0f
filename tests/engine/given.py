"""Create calls, policies and facts for the tests of the engine."""

import posixpath
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from assent.engine.base.facts import CallDirectories, Facts
from assent.engine.base.tool import Call, Dialect, Effect, Tool
from assent.engine.decide import decide, paths_to_resolve
from assent.engine.policy.rule import parse_rule
from assent.engine.policy.rule_set import RuleSet
from assent.engine.policy.snapshot import GrantedRule, GrantSet, Snapshot
from assent.engine.policy.verdict import Decision

DIRECTORIES = CallDirectories(roots=("/project",), cwd="/project", home="/home/ana")

SHELL = Tool(name="terminal.exec", effect=Effect.EXECUTE, dialect=Dialect.SHELL)
POWERSHELL = Tool(name="pwsh.exec", effect=Effect.EXECUTE, dialect=Dialect.POWERSHELL)
READ_FILE = Tool(name="files.read", effect=Effect.READ, dialect=Dialect.PATH)
SAVE_FILE = Tool(name="files.save", effect=Effect.EDIT, dialect=Dialect.PATH)
DELETE_FILE = Tool(name="files.delete", effect=Effect.WRITE, dialect=Dialect.PATH)
SEND_MAIL = Tool(name="mail.send", effect=Effect.EXTERNAL)
DROP_TABLE = Tool(name="db.drop", effect=Effect.DESTRUCTIVE)
LOOK_UP = Tool(name="wiki.look_up", effect=Effect.READ)

TOOLS = (SHELL, POWERSHELL, READ_FILE, SAVE_FILE, DELETE_FILE, SEND_MAIL, DROP_TABLE, LOOK_UP)


@lru_cache(maxsize=65536)
def parse_rule_set(
    deny: tuple[str, ...] = (), ask: tuple[str, ...] = (), allow: tuple[str, ...] = ()
) -> RuleSet:
    """The rule set of rules as people write them."""
    return RuleSet(*([parse_rule(text) for text in texts] for texts in (deny, ask, allow)))


def make_snapshot(
    *tools: Tool,
    deny: Iterable[str] = (),
    ask: Iterable[str] = (),
    allow: Iterable[str] = (),
    grants: Iterable[str] = (),
    **more: Any,
) -> Snapshot:
    """A snapshot with rules as text, and grants for all callers."""
    return Snapshot(
        tools={tool.name: tool for tool in tools or TOOLS},
        rules=parse_rule_set(tuple(deny), tuple(ask), tuple(allow)),
        grants=_grant_set(tuple(grants)),
        **more,
    )


@lru_cache(maxsize=4096)
def _grant_set(patterns: tuple[str, ...]) -> GrantSet:
    return GrantSet(GrantedRule(rule=parse_rule(text)) for text in patterns)


def shell_call(command: str) -> Call:
    """The call of a shell line."""
    return Call(tool=SHELL.name, args={"command": command})


def file_call(tool: Tool, path: object) -> Call:
    """The call of a file tool with this path."""
    return Call(tool=tool.name, args={"path": path})


def mail_call(**args: object) -> Call:
    """The call of a tool with named arguments."""
    return Call(tool=SEND_MAIL.name, args=args)


def make_facts(
    call: Call,
    snapshot: Snapshot,
    *,
    directories: CallDirectories = DIRECTORIES,
    links: Mapping[str, str] | None = None,
    trusted: bool = True,
    findings: Mapping[str, str] | None = None,
) -> Facts:
    """The facts of an imaginary disk with these links."""
    real = {
        path: (_follow_links(posixpath.normpath(path), links or {}),)
        for path in paths_to_resolve(call, snapshot, directories)
    }
    return Facts(directories=directories, real=real, trusted_repository=trusted, findings=findings or {})


def decide_call(call: Call, snapshot: Snapshot, **world: Any) -> Decision:
    """Collect the facts of an imaginary disk, and decide the call."""
    return decide(call, snapshot, make_facts(call, snapshot, **world))


def _follow_links(path: str, links: Mapping[str, str]) -> str:
    for link, target in links.items():
        if path == link or path.startswith(link + "/"):
            return posixpath.normpath(target + path[len(link) :])
    return path
