"""`assent check --interactive`: a prompt that decides the calls that a person types."""

import sys
from contextlib import suppress
from importlib import import_module

from assent.cli.decider import LocalDecider
from assent.cli.explain import explanation, summary
from assent.cli.terminal import visible
from assent.config.written_calls import split_call
from assent.engine.policy.modes import MODE_VERDICTS
from assent.errors import AssentError, InputError

SHELL = "Bash"
"""The tool for a line that is not a call of a known tool."""

HELP = f"""\
  a command          decided as `{SHELL}(…)`
  Tool(specifier)    decided as written
  :mode NAME         change the mode ({", ".join(MODE_VERDICTS)})
  :explain           turn the explanation of every step on or off
  :help  :quit       show this text; quit (also Ctrl-D)"""


def run_prompt(decider: LocalDecider, *, explain: bool = False) -> int:
    """Decide line after line until the end of the input."""
    if sys.stdin.isatty():
        with suppress(ImportError):
            import_module("readline")  # adds a history and the arrow keys to the prompt
        print(f"{_status(decider)}; :help lists the commands")
    while (line := _next_line()) is not None:
        if line in (":quit", ":q"):
            break
        try:
            decider, explain = _run_line(line, decider, explain=explain)
        except AssentError as error:
            print(f"assent: {visible(str(error))}", file=sys.stderr)
    return 0


def _next_line() -> str | None:
    prompt = "assent> " if sys.stdin.isatty() else ""
    try:
        return input(prompt).strip()
    except EOFError:
        return None


def _run_line(line: str, decider: LocalDecider, *, explain: bool) -> tuple[LocalDecider, bool]:
    match line.split():
        case []:
            pass
        case [":mode"]:
            print(_status(decider))
        case [":mode", word]:
            decider = decider.with_mode(word)
            print(_status(decider))
        case [":explain"]:
            explain = not explain
            print(f"explanation is {'on' if explain else 'off'}")
        case [":help"]:
            print(HELP)
        case [word, *_] if word.startswith(":"):
            raise InputError(f"unknown command `{line}`; :help lists the commands")
        case _:
            _decide(line, decider, explain=explain)
    return decider, explain


def _decide(line: str, decider: LocalDecider, *, explain: bool) -> None:
    text = line if _is_call(line, decider) else f"{SHELL}({line})"
    checked = decider.decide_text(text)
    lines = explanation(text, checked) if explain else (summary(text, checked.decision),)
    sys.stdout.writelines(f"{line}\n" for line in lines)


def _is_call(line: str, decider: LocalDecider) -> bool:
    """Whether a line starts with a known tool, or has the form `Tool(specifier)`."""
    try:
        name, specifier = split_call(line)
    except InputError:
        return False
    return name in decider.policy.tools or specifier is not None


def _status(decider: LocalDecider) -> str:
    mode = decider.policy.mode_word or "none"
    return f"mode {mode}, preset {decider.policy.preset}, workspace {visible(decider.place.roots[0])}"
