"""Questions per 100 calls of recorded sessions, beside allow lists that compare the first word of a command.

The sessions are JSON Lines, perhaps compressed, with the fields `s` (session), `root`, `cwd`, `tool`, and
`command` or `path`. No command is executed, and no path is looked up on this disk.
"""

import argparse
import gzip
import json
import posixpath
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from assent.config.files import Source
from assent.config.policy_file import read_claude_settings
from assent.config.tools import KNOWN_TOOLS
from assent.config.workspace import facts_without_disk
from assent.engine.base.facts import CallDirectories
from assent.engine.base.reason import ReasonCode
from assent.engine.base.tool import Call, Tool
from assent.engine.decide import decide, paths_to_resolve, searches_to_make
from assent.engine.edits import paths_to_make
from assent.engine.policy.modes import Mode
from assent.engine.policy.packs import PACK_SIGN
from assent.engine.policy.rule import Layer, Rule, RuleList, parse_rule
from assent.engine.policy.snapshot import Snapshot, build_snapshot
from assent.engine.policy.verdict import Decision, Verdict
from assent.engine.programs.packs import PACKS

ALLOWED_COMMANDS = (
    "go build", "go test", "go vet", "go fmt", "go run", "go mod tidy", "gofmt", "golangci-lint", "mise run",
    "npm run", "npm test", "npx tsc", "pytest", "python -m pytest", "ruff", "mypy", "cargo build",
    "cargo test", "cargo fmt", "cargo clippy", "make", "just", "git add", "git commit", "git stash",
    "git checkout", "git switch", "git branch", "git fetch", "git merge", "git rebase",
)  # fmt: skip
"""The commands that many developers allow on the first day."""
_READING_WORDS = frozenset(
    "ls cat head tail grep rg find wc echo pwd which sort uniq cut tr sed awk jq diff stat tree cd".split()
)
"""Programs that such lists allow as a whole."""
_READING_CALL = re.compile(r"mcp__[\w-]+__(?:get|list|search|read|find)_\w+")
_JOINTS = re.compile(r"&&|\|\||[;|\n&]")
_REASON_COUNT = 25
_SETTING_CODES = (ReasonCode.MODE_ASKS, ReasonCode.PRESET_ASKS, ReasonCode.NOT_COVERED)
"""The codes of reasons that name only a setting."""


@dataclass(frozen=True)
class SessionCall:
    """One recorded tool call, and the directories in which it ran."""

    session: int
    root: str
    cwd: str
    tool: str
    subject: str | None
    """The command line or the path."""


class Figure(NamedTuple):
    """One row of the result: the questions of a policy, and the calls that it lets through unseen."""

    name: str
    asked: int
    calls: int
    through: int | None = None
    """Calls that run although Assent asks about them in `default` without rules; None for Assent itself."""

    @property
    def per_hundred(self) -> float:
        """Questions per 100 calls."""
        return 100 * self.asked / max(self.calls, 1)


def read_sessions(path: Path) -> tuple[SessionCall, ...]:
    """Read the calls of recorded sessions."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    return tuple(_to_call(json.loads(line)) for line in text.splitlines() if line.strip())


def decide_sessions(
    calls: Iterable[SessionCall], mode: Mode, allow: Iterable[Rule] = (), registered: Iterable[str] = ()
) -> Iterator[tuple[SessionCall, Decision]]:
    """Decide each call through the engine, in a workspace that does not exist on this disk.

    The workspace of a call is its root and the registered directories.
    """
    snapshot = build_snapshot(KNOWN_TOOLS, rules={RuleList.ALLOW: list(allow)}, mode=mode)
    places = tuple(registered)
    made: dict[int, dict[str, None]] = {}
    for one in calls:
        of_session = made.setdefault(one.session, {})
        decision, new = _decide(one, snapshot, places, tuple(of_session))
        # A person says yes to every question, and nothing was at the paths that the call writes.
        of_session.update(dict.fromkeys(new))
        yield one, decision


def registered_directories(calls: Iterable[SessionCall]) -> tuple[str, ...]:
    """The directories that a person would have registered: the projects of all sessions."""
    return tuple(dict.fromkeys(posixpath.normpath(call.root) for call in calls))


def allow_rules() -> list[Rule]:
    """The allow rules of the third figure: every pack."""
    return [parse_rule(f"Bash({PACK_SIGN}{name})") for name in PACKS]


def main(arguments: list[str]) -> int:
    """Print the figures and the most frequent reasons of the questions."""
    parser = argparse.ArgumentParser(prog="./dev bench questions", description="Questions per 100 calls.")
    parser.add_argument("--sessions", type=Path, required=True, metavar="FILE", help="recorded sessions")
    parser.add_argument(
        "--register", action="append", default=[], metavar="DIRECTORY", help="one more registered directory"
    )
    parser.add_argument("--reasons", type=int, default=_REASON_COUNT, metavar="N")
    given = parser.parse_args(arguments)
    calls = read_sessions(given.sessions)
    plain = dict(_index_decisions(calls, Mode.DEFAULT))
    edits = dict(_index_decisions(calls, Mode.ACCEPT_EDITS))
    ruled = dict(_index_decisions(calls, Mode.ACCEPT_EDITS, allow_rules()))
    places = (*registered_directories(calls), *given.register)
    placed = dict(_index_decisions(calls, Mode.ACCEPT_EDITS, allow_rules(), places))
    figures = [
        Figure("default", _count_asked(plain), len(calls)),
        Figure("accept_edits without a rule", _count_asked(edits), len(calls)),
        Figure("accept_edits with packs", _count_asked(ruled), len(calls)),
        Figure(
            f"accept_edits with packs and {len(places)} registered directories",
            _count_asked(placed),
            len(calls),
        ),
        *_compare(calls, plain),
    ]
    print(f"{len(calls)} calls of {len({call.session for call in calls})} sessions\n")
    for figure in figures:
        through = "" if figure.through is None else f"  lets {figure.through} calls through that we ask about"
        print(f"{figure.per_hundred:6.1f}  {figure.name}{through}")
    print()
    for name, decisions in (("default", plain), ("accept_edits without a rule", edits)):
        asked, unexplained = _count_asked(decisions), count_unexplained(decisions)
        print(f"{unexplained:6}  of {asked} questions in {name} name only the mode")
    for name, decisions in (
        ("accept_edits without a rule", edits),
        ("accept_edits with packs and registered directories", placed),
    ):
        print(f"\nMost frequent questions, {name}:")
        for (stage, reason), count in _reasons(calls, decisions).most_common(given.reasons):
            print(f"{count:6}  {stage:15} {reason}")
    return 0


def count_unexplained(decisions: Mapping[int, Decision | None]) -> int:
    """How many questions name only the setting that asks, and nothing about the call."""
    asked = (one for one in decisions.values() if one is not None and one.verdict is Verdict.ASK)
    return sum(one.reason.code in _SETTING_CODES for one in asked)


def first_word_allows(command: str) -> bool:
    """Whether an allow list that compares the beginning of the whole line allows the line."""
    return _is_listed(command.strip())


def split_list_allows(command: str) -> bool:
    """Whether an allow list that compares each command of a chain allows all of them."""
    return all(_is_listed(piece.strip()) for piece in _JOINTS.split(command) if piece.strip())


def _to_call(record: Mapping[str, object]) -> SessionCall:
    subject = record.get("command", record.get("path"))
    return SessionCall(
        session=int(str(record["s"])),
        root=str(record["root"]),
        cwd=str(record["cwd"]),
        tool=str(record["tool"]),
        subject=None if subject is None else str(subject),
    )


def _index_decisions(
    calls: tuple[SessionCall, ...], mode: Mode, allow: Iterable[Rule] = (), registered: Iterable[str] = ()
) -> Iterator[tuple[int, Decision | None]]:
    """The decisions by the number of the call; None for tools that only control the client."""
    snapshot_calls = decide_sessions(calls, mode, allow, registered)
    for number, (call, decision) in enumerate(snapshot_calls):
        talks = decision.verdict is Verdict.ABSENT and (
            not call.tool.startswith("mcp__") or _READING_CALL.fullmatch(call.tool) is not None
        )
        yield number, None if talks else decision


def _decide(
    one: SessionCall, snapshot: Snapshot, registered: tuple[str, ...], made: tuple[str, ...]
) -> tuple[Decision, tuple[str, ...]]:
    """Decide a call, and return the decision with what the call makes outside of the workspace."""
    tool = KNOWN_TOOLS.get(one.tool)
    args = {} if tool is None or one.subject is None else {_argument_name(tool): one.subject}
    call = Call(tool=one.tool, args=args)
    home = "/".join(one.root.split("/")[:3])
    roots = tuple(dict.fromkeys((posixpath.normpath(one.root), *registered)))
    directories = CallDirectories(roots=roots, cwd=one.cwd, home=home, made=made)
    paths = paths_to_resolve(call, snapshot, directories)
    findings = {search.key: "" for search in searches_to_make(call, snapshot, directories)}
    facts = facts_without_disk(directories, paths, trusted_repository=True, findings=findings, clean=True)
    decision = decide(call, snapshot, facts)
    new = () if tool is None or decision.verdict is not Verdict.ASK else paths_to_make(tool, call, facts)
    return decision, new


def _argument_name(tool: Tool) -> str:
    """The argument that the template of a tool names."""
    found = re.search(r"\{(\w+)", tool.template or "{subject}")
    return found[1] if found else "subject"


def _count_asked(decisions: Mapping[int, Decision | None]) -> int:
    return sum(one is not None and one.verdict is not Verdict.RUN for one in decisions.values())


def _compare(calls: tuple[SessionCall, ...], plain: Mapping[int, Decision | None]) -> Iterator[Figure]:
    """The same calls under an allow list of first words, a split list, and Claude Code's rules."""
    for name, allows in (
        ("first-word allow list", first_word_allows),
        ("split allow list", split_list_allows),
    ):
        runs = {number: _list_runs(call, plain[number], allows) for number, call in enumerate(calls)}
        yield _figure_of_list(name, runs, plain)
    listed = [f"Bash({command}:*)" for command in (*ALLOWED_COMMANDS, *sorted(_READING_WORDS))]
    settings = json.dumps({"permissions": {"allow": listed}})
    read = read_claude_settings(Source(".claude/settings.json", settings.encode()), Layer.USER)
    by_rules = dict(_index_decisions(calls, Mode.ACCEPT_EDITS, read.rules[RuleList.ALLOW]))
    runs = {number: one is None or one.verdict is Verdict.RUN for number, one in by_rules.items()}
    yield _figure_of_list("Claude Code's rules, read by Assent", runs, plain)


def _list_runs(call: SessionCall, decision: Decision | None, allows: object) -> bool:
    """Whether a list of words lets a call run; other tools than the shell run as Assent decides."""
    if call.tool == "Bash" and callable(allows):
        return bool(allows(call.subject or ""))
    return decision is None or decision.verdict is Verdict.RUN or call.tool in ("Edit", "Write", "MultiEdit")


def _figure_of_list(name: str, runs: Mapping[int, bool], plain: Mapping[int, Decision | None]) -> Figure:
    through = sum(
        ran and (own := plain[number]) is not None and own.verdict is not Verdict.RUN
        for number, ran in runs.items()
    )
    return Figure(name, sum(not ran for ran in runs.values()), len(runs), through)


def _is_listed(command: str) -> bool:
    word = command.partition(" ")[0]
    return word in _READING_WORDS or any(
        command == known or command.startswith(f"{known} ") for known in ALLOWED_COMMANDS
    )


def _reasons(
    calls: tuple[SessionCall, ...], decisions: Mapping[int, Decision | None]
) -> Counter[tuple[str, str]]:
    """The stage of each question, and the program that it is about or the reason."""
    found: Counter[tuple[str, str]] = Counter()
    for number, decision in decisions.items():
        if decision is None or decision.verdict is Verdict.RUN:
            continue
        call = calls[number]
        part = decision.part or call.subject or ""
        subject = _first_words(part) if call.tool == "Bash" else call.tool
        found[str(decision.stage), subject or decision.because] += 1
    return found


def _first_words(command: str) -> str:
    try:
        words = shlex.split(command, comments=False)
    except ValueError:
        words = command.split()
    return " ".join(words[:2])[:60]
