"""`assent check --interactive`: a prompt that decides the calls that a person types."""

import sys
from contextlib import suppress
from importlib import import_module

from assent.cli.base.decider import LocalDecider
from assent.cli.base.terminal import visible_text
from assent.cli.explain import decision_explanation, decision_summary
from assent.config.written_calls import split_call
from assent.engine.policy.modes import MODE_VERDICTS
from assent.errors import AssentError, InputError

DEFAULT_TOOL = "Bash"
"""The tool for a line that is a plain command instead of a call."""

HELP_TEXT = f"""\
  a command          decided as `{DEFAULT_TOOL}(…)`
  Tool(specifier)    decided as written
  :mode NAME         change the mode ({", ".join(MODE_VERDICTS)})
  :explain           turn the explanation of every step on or off
  :help  :quit       show this text; quit (also Ctrl-D)"""


def run_interactive_prompt(decider: LocalDecider, *, explain: bool = False) -> int:
    """Read and decide lines until the end of the input; return the exit status."""
    if sys.stdin.isatty():
        with suppress(ImportError):
            import_module("readline")  # adds a history and the arrow keys to the prompt
        print(f"{_mode_and_agent_text(decider)}; :help lists the commands")
    while (line := _read_prompt_line()) is not None:
        if line in (":quit", ":q"):
            break
        try:
            decider, explain = _run_prompt_line(line, decider, explain=explain)
        except AssentError as error:
            print(f"assent: {visible_text(str(error))}", file=sys.stderr)
    return 0


def _read_prompt_line() -> str | None:
    prompt = "assent> " if sys.stdin.isatty() else ""
    try:
        return input(prompt).strip()
    except EOFError:
        return None


def _run_prompt_line(line: str, decider: LocalDecider, *, explain: bool) -> tuple[LocalDecider, bool]:
    match line.split():
        case []:
            pass
        case [":mode"]:
            print(_mode_and_agent_text(decider))
        case [":mode", word]:
            decider = decider.with_other_mode(word)
            print(_mode_and_agent_text(decider))
        case [":explain"]:
            explain = not explain
            print(f"explanation is {'on' if explain else 'off'}")
        case [":help"]:
            print(HELP_TEXT)
        case [word, *_] if word.startswith(":"):
            raise InputError(f"unknown command `{line}`; :help lists the commands")
        case _:
            _print_decision(line, decider, explain=explain)
    return decider, explain


def _print_decision(line: str, decider: LocalDecider, *, explain: bool) -> None:
    text = line if _is_tool_call(line, decider) else f"{DEFAULT_TOOL}({line})"
    checked = decider.decide_typed_call(text)
    lines = decision_explanation(text, checked) if explain else (decision_summary(text, checked.decision),)
    sys.stdout.writelines(f"{line}\n" for line in lines)


def _is_tool_call(line: str, decider: LocalDecider) -> bool:
    """Whether a line starts with a known tool, or has the form `Tool(specifier)`."""
    try:
        name, specifier = split_call(line)
    except InputError:
        return False
    return name in decider.policy.tools or specifier is not None


def _mode_and_agent_text(decider: LocalDecider) -> str:
    mode = decider.policy.mode_word or "none"
    return (
        f"mode {mode}, preset {decider.policy.preset}, workspace {visible_text(decider.directories.roots[0])}"
    )
