"""`assent check`: decide calls as the gate would, from a terminal or a script."""

import argparse
import sys
from typing import TYPE_CHECKING, NoReturn

from assent.cli.terminal import visible
from assent.engine.verdict import Verdict
from assent.errors import InputError

if TYPE_CHECKING:
    from assent.cli.standpoint import Decided, Standpoint

STATUS = {Verdict.RUN: 0, Verdict.DENY: 3, Verdict.ABSENT: 3, Verdict.ASK: 4}
"""Exit status for each verdict; 2 means that nothing was decided."""

OPTIONS: tuple[tuple[str, dict[str, str]], ...] = (
    (
        "--batch",
        {"metavar": "FILE", "help": "decide each line of a file of JSON Lines (`-` for standard input)"},
    ),
    ("--interactive", {"action": "store_true", "help": "type calls or commands and see what would happen"}),
    ("--tool", {"metavar": "NAME", "help": "the tool, instead of a written call"}),
    ("--args", {"metavar": "JSON", "help": "the arguments of --tool as a JSON object"}),
    ("--mode", {"metavar": "MODE", "help": "decide in this mode"}),
    ("--preset", {"metavar": "NAME", "help": "decide under this preset"}),
    ("--agent", {"metavar": "NAME", "help": "the agent that makes the call"}),
    (
        "--policy",
        {"metavar": "FILE", "help": "use this policy file alone (also Claude Code's settings.json)"},
    ),
    (
        "--explain",
        {"action": "store_true", "help": "show every step, and what would have avoided a question"},
    ),
    ("--json", {"action": "store_true", "help": "print the decision as JSON"}),
)
"""Every option once, for the parser below and for shell completion."""


def check(words: list[str]) -> int:
    """Decide one call, a batch, or whatever is typed."""
    options = _parser().parse_args(words)
    _refuse_contradictions(options)
    if options.batch is not None:
        from assent.cli.batch import run_batch

        return run_batch(options.batch)
    from assent.cli.standpoint import stand

    standpoint = stand(
        policy_file=options.policy, mode=options.mode, preset=options.preset, agent=options.agent or ""
    )
    if options.interactive:
        from assent.cli.interactive import converse

        return converse(standpoint, explain=options.explain)
    decided = _decide(options, standpoint)
    _show(options, decided)
    return STATUS[decided.decision.verdict]


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints, too, are one line with nothing hidden in it."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(2, f"assent: {visible(message)}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="assent check",
        description="Decide a call by the policy that holds in this directory.",
        epilog="exit status: 0 run, 3 deny or absent, 4 ask, 2 nothing was decided",
        allow_abbrev=False,
        # Left to itself the formatter asks for the terminal's width, and loads half a library to do so.
        formatter_class=lambda prog: argparse.HelpFormatter(prog, width=100),
    )
    parser.add_argument("call", nargs="?", metavar="CALL", help="`Tool` or `Tool(specifier)`")
    for name, settings in OPTIONS:
        parser.add_argument(name, **settings)  # type: ignore[arg-type]
    return parser


def _refuse_contradictions(options: argparse.Namespace) -> None:
    ways = {
        "CALL": options.call is not None,
        "--tool": options.tool is not None,
        "--batch": options.batch is not None,
        "--interactive": options.interactive,
    }
    chosen = [name for name, given in ways.items() if given]
    if len(chosen) != 1:
        said = f"not {' and '.join(chosen)}" if chosen else "and none was given"
        raise InputError(f"one of {', '.join(ways)} says what to decide, {said}")
    if options.args is not None and options.tool is None:
        raise InputError("--args needs --tool")
    if options.batch is not None:
        given = [name for name in ("mode", "preset", "agent", "policy", "explain") if getattr(options, name)]
        if given:
            raise InputError(f"each line of a batch brings its own policy; leave out --{given[0]}")


def _decide(options: argparse.Namespace, standpoint: "Standpoint") -> "Decided":
    if options.tool is None:
        return standpoint.decide_written(options.call)
    from assent.engine.model import Call

    return standpoint.decide(Call(tool=options.tool, args=_arguments(options.args)))


def _arguments(text: str | None) -> dict[str, object]:
    if text is None:
        return {}
    from assent.config.strictjson import read_object

    return read_object(text.encode("utf-8", "surrogateescape"), "--args")


def _show(options: argparse.Namespace, decided: "Decided") -> None:
    if options.json:
        import json

        from assent.config.checkfile import decision_record, with_acts

        decision = with_acts(decided.call, decided.snapshot, decided.decision)
        print(json.dumps(decision_record(decision)).replace("\x7f", "\\u007f"))
        return
    from assent.cli.explain import explanation, next_step, summary

    written = options.call or f"{options.tool}({options.args or ''})"
    lines = explanation(written, decided) if options.explain else (summary(written, decided.decision),)
    sys.stdout.writelines(f"{line}\n" for line in (*lines, *next_step(decided)))
