"""A call as text for a terminal: its arguments, the file that it changes, and its irreversible acts."""

import json
from collections.abc import Iterable, Iterator

from assent.cli.base.terminal import Style, visible_text, with_style
from assent.engine.base import characters
from assent.engine.base.tool import Call, Dialect, Tool, render_specifier
from assent.engine.irreversible.act import IrreversibleAct
from assent.gate.file_preview import FilePreview
from assent.surfaces.tui.words import act_sentence, file_sentence

MAX_CALL_CHARACTERS = 300
"""Maximum number of characters of a call that a list shows."""
_DIFF_STYLES = {"+": Style.GOOD, "-": Style.BAD, "@": Style.FAINT}


def call_text(call: Call, tool: Tool) -> str:
    """The call as `Tool(arguments)` on one line; long arguments are shortened in the middle, with a mark."""
    text = characters.to_visible(_arguments_text(call, tool))
    shown = visible_text(text)
    if len(text) > MAX_CALL_CHARACTERS:
        half = MAX_CALL_CHARACTERS // 2
        omitted = len(text) - MAX_CALL_CHARACTERS
        shown = f"{visible_text(text[:half])} … {omitted} more characters … {visible_text(text[-half:])}"
    return f"{visible_text(call.tool)}({shown})"


def full_call_text(call: Call, tool: Tool) -> str:
    """The call as `Tool(arguments)`, never shortened."""
    return f"{visible_text(call.tool)}({visible_text(_arguments_text(call, tool))})"


def is_call_text_cut(call: Call, tool: Tool) -> bool:
    """Whether `call_text` omits a part of the call."""
    return len(characters.to_visible(_arguments_text(call, tool))) > MAX_CALL_CHARACTERS


def file_change_lines(file: FilePreview | None) -> list[str]:
    """The lines that state how the call would change its file; empty if the call changes no file."""
    if file is None:
        return []
    summary = file_sentence(file)
    warning = with_style("the file changed after a person looked at it: this asks again", Style.CAUTION)
    return [summary, warning] if file.changes else [summary]


def diff_lines(file: FilePreview | None) -> list[str]:
    """The diff of the file, line by line."""
    if file is None or not file.diff:
        return []
    return [_coloured_diff_line(line) for line in file.diff.split("\n")]


def irreversible_lines(acts: Iterable[IrreversibleAct]) -> Iterator[str]:
    """One warning for each act that cannot be undone."""
    for act in acts:
        yield f"{with_style('cannot be undone', Style.BAD)}: {visible_text(act_sentence(act))}"


def _arguments_text(call: Call, tool: Tool) -> str:
    args = call.args
    if tool.dialect is not Dialect.TEXT and len(args) == 1:
        (only,) = args.values()
        # The engine ignores a misspelled argument such as `comand`: do not show it like a command.
        if isinstance(only, str) and render_specifier(tool, args) == only:
            return only
    return ", ".join(f"{name}={_value_text(value)}" for name, value in args.items())


def _value_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=True)


def _coloured_diff_line(line: str) -> str:
    style = _DIFF_STYLES.get(line[:1])
    return visible_text(line) if style is None else with_style(visible_text(line), style)
