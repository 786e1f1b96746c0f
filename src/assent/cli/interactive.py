"""A conversation about calls: type one, see what would happen to it, change the mode, try again."""

import sys
from contextlib import suppress
from importlib import import_module

from assent.cli.explain import explanation, summary
from assent.cli.standpoint import Standpoint
from assent.cli.terminal import visible
from assent.config.written import split_call
from assent.engine.modes import MODE_VERDICTS
from assent.errors import AssentError, InputError

SHELL = "Bash"
"""The tool that a line is taken for when it is not a call of a known one."""

HELP = f"""\
  a command          decided as `{SHELL}(…)`
  Tool(specifier)    decided as it stands
  :mode NAME         change the mode ({", ".join(MODE_VERDICTS)})
  :explain           show every step, or stop showing them
  :help  :quit       this text; the end (so is Ctrl-D)"""


def converse(standpoint: Standpoint, *, explain: bool = False) -> int:
    """Answer line after line until there are no more."""
    if sys.stdin.isatty():
        with suppress(ImportError):
            import_module("readline")  # gives the prompt a history and the arrow keys
        print(f"{_standing(standpoint)}; :help says what can be typed")
    while (line := _next_line()) is not None:
        if line in (":quit", ":q"):
            break
        try:
            standpoint, explain = _answer(line, standpoint, explain=explain)
        except AssentError as error:
            print(f"assent: {visible(str(error))}", file=sys.stderr)
    return 0


def _next_line() -> str | None:
    prompt = "assent> " if sys.stdin.isatty() else ""
    try:
        return input(prompt).strip()
    except EOFError:
        return None


def _answer(line: str, standpoint: Standpoint, *, explain: bool) -> tuple[Standpoint, bool]:
    match line.split():
        case []:
            pass
        case [":mode"]:
            print(_standing(standpoint))
        case [":mode", word]:
            standpoint = standpoint.in_mode(word)
            print(_standing(standpoint))
        case [":explain"]:
            explain = not explain
            print(f"explaining is {'on' if explain else 'off'}")
        case [":help"]:
            print(HELP)
        case [word, *_] if word.startswith(":"):
            raise InputError(f"`{line}` is not something this prompt knows; :help lists what is")
        case _:
            _decide(line, standpoint, explain=explain)
    return standpoint, explain


def _decide(line: str, standpoint: Standpoint, *, explain: bool) -> None:
    written = line if _is_call(line, standpoint) else f"{SHELL}({line})"
    decided = standpoint.decide_written(written)
    lines = explanation(written, decided) if explain else (summary(written, decided.decision),)
    sys.stdout.writelines(f"{line}\n" for line in lines)


def _is_call(line: str, standpoint: Standpoint) -> bool:
    """Whether a line begins with a known tool, or looks so much like a call that it can be nothing else."""
    try:
        name, specifier = split_call(line)
    except InputError:
        return False
    return name in standpoint.policy.tools or specifier is not None


def _standing(standpoint: Standpoint) -> str:
    mode = standpoint.policy.mode_word or "none"
    return f"mode {mode}, preset {standpoint.policy.preset}, workspace {visible(standpoint.place.roots[0])}"
