"""`assent check`: decide calls as the gate would, from a terminal or a script."""

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from assent.engine.policy.verdict import Verdict
from assent.errors import InputError

if TYPE_CHECKING:
    from assent.cli.base.decider import CheckedCall, LocalDecider

EXIT_STATUS = {Verdict.RUN: 0, Verdict.DENY: 3, Verdict.ABSENT: 3, Verdict.ASK: 4}
"""Exit status for each verdict; 2 means that nothing was decided."""


class CheckOption(NamedTuple):
    """A command-line option of `check`; an option without `metavar` is a flag."""

    name: str
    metavar: str
    help: str


OPTIONS = (
    CheckOption("batch", "FILE", "decide each line of a JSON Lines file (`-` for standard input)"),
    CheckOption("interactive", "", "type calls or commands and see the decisions"),
    CheckOption("tool", "NAME", "the tool, instead of CALL"),
    CheckOption("args", "JSON", "the arguments of --tool as a JSON object"),
    CheckOption("mode", "MODE", "decide in this mode"),
    CheckOption("preset", "NAME", "decide under this preset"),
    CheckOption("agent", "NAME", "the agent that makes the call"),
    CheckOption("policy", "FILE", "use only this policy file (Claude Code's settings.json works, too)"),
    CheckOption("explain", "", "show every step, and the rule that would have avoided the question"),
    CheckOption("json", "", "print the decision as JSON"),
)
"""The options that both `parse_plain_options` and click accept."""
_OPTION_METAVARS = {option.name: option.metavar for option in OPTIONS}


class CheckOptions(NamedTuple):
    """The parsed command line; each field has the name of its option."""

    call: str | None = None
    batch: str | None = None
    interactive: bool = False
    tool: str | None = None
    args: str | None = None
    mode: str | None = None
    preset: str | None = None
    agent: str | None = None
    policy: str | None = None
    explain: bool = False
    json: bool = False


def parse_plain_options(words: list[str]) -> CheckOptions | None:
    """Parse a plain command line without loading click, which takes longer than a decision.

    Returns None if click must parse the line: for `--help`, `--name=value`, a repeated option or a mistake.
    """
    found: dict[str, str | bool] = {}
    remaining = iter(words)
    for word in remaining:
        is_option = word.startswith("-")
        name = word.removeprefix("--") if is_option else "call"
        if name in found or (is_option and _OPTION_METAVARS.get(name) is None):
            return None
        if not is_option:
            found[name] = word
        elif not _OPTION_METAVARS[name]:
            found[name] = True
        else:
            value = next(remaining, "--")
            if value.startswith("-") and value != "-":
                return None
            found[name] = value
    return CheckOptions(**found)  # type: ignore[arg-type]


def run_check(options: CheckOptions) -> int:
    """Decide one call, a batch file, or the lines that a person types; return the exit status."""
    _refuse_contradictions(options)
    if options.batch is not None:
        return _run_batch(options.batch)
    from assent.cli.base.decider import load_decider

    decider = load_decider(
        policy_file=options.policy, mode=options.mode, preset=options.preset, agent=options.agent or ""
    )
    if options.interactive:
        from assent.cli.interactive import run_interactive_prompt

        return run_interactive_prompt(decider, explain=options.explain)
    checked = _decide_call(options, decider)
    _print_decision(options, checked)
    return EXIT_STATUS[checked.decision.verdict]


def _refuse_contradictions(options: CheckOptions) -> None:
    ways = {
        "CALL": options.call is not None,
        "--tool": options.tool is not None,
        "--batch": options.batch is not None,
        "--interactive": options.interactive,
    }
    chosen = [name for name, given in ways.items() if given]
    if len(chosen) != 1:
        given = f"not {' and '.join(chosen)}" if chosen else "none was given"
        raise InputError(f"give exactly one of {', '.join(ways)}: {given}")
    if options.args is not None and options.tool is None:
        raise InputError("--args needs --tool")
    if options.batch is not None:
        unused = [name for name in ("mode", "preset", "agent", "policy", "explain") if getattr(options, name)]
        if unused:
            raise InputError(f"each line of a batch has its own policy: remove --{unused[0]}")


def _run_batch(path: str) -> int:
    """Decide every line of a file and print each result; print an error for a line that cannot be decided."""
    import json

    from assent.config.check_records import decide_line

    failed = False
    with _open_batch(path) as file:
        for line in _read_batch_lines(file):
            record = decide_line(line)
            failed = failed or "error" in record
            sys.stdout.write(json.dumps(record).replace("\x7f", "\\u007f") + "\n")
            sys.stdout.flush()
    return 2 if failed else 0


def _open_batch(path: str) -> "nullcontext[BinaryIO] | BinaryIO":
    if path == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return open(path, "rb")
    except OSError as error:
        raise InputError(f"cannot read `{path}`: {(error.strerror or 'it failed').lower()}") from None


def _read_batch_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield lines without line ends; skip empty lines at the end of the file, truncate oversized lines."""
    from assent.config.strictjson import MAX_JSON_BYTES

    empty = 0
    while line := file.readline(MAX_JSON_BYTES + 2):
        if not line.strip():
            empty += 1
            continue
        yield from (b"" for _ in range(empty))
        empty = 0
        yield line.rstrip(b"\r\n")
        while len(line) == MAX_JSON_BYTES + 2 and not line.endswith(b"\n"):
            line = file.readline(MAX_JSON_BYTES + 2)


def _decide_call(options: CheckOptions, decider: "LocalDecider") -> "CheckedCall":
    if options.call is not None:
        return decider.decide_typed_call(options.call)
    from assent.engine.base.tool import Call

    return decider.decide_call(Call(tool=options.tool or "", args=_parse_arguments(options.args)))


def _parse_arguments(text: str | None) -> dict[str, object]:
    if text is None:
        return {}
    from assent.config.strictjson import read_object

    return read_object(text.encode("utf-8", "surrogateescape"), "--args")


def _print_decision(options: CheckOptions, checked: "CheckedCall") -> None:
    if options.json:
        import json

        from assent.config.check_records import decision_to_record, with_irreversible_acts

        decision = with_irreversible_acts(checked.call, checked.snapshot, checked.decision)
        print(json.dumps(decision_to_record(decision)).replace("\x7f", "\\u007f"))
        return
    from assent.cli.explain import decision_explanation, decision_summary, unknown_tool_hint

    text = options.call or f"{options.tool}({options.args or ''})"
    lines = (
        decision_explanation(text, checked)
        if options.explain
        else (decision_summary(text, checked.decision),)
    )
    sys.stdout.writelines(f"{line}\n" for line in (*lines, *unknown_tool_hint(checked)))
