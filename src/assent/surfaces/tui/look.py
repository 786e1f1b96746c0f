"""Colours and line drawing: every meaning has a symbol and a word, and colour only repeats them."""

import os
import textwrap
from collections.abc import Iterable, Mapping

from textual.content import Content
from textual.theme import Theme

from assent.engine.base.tool import Effect
from assent.engine.policy.verdict import Verdict

_TOKENS = {
    "canvas": ("#0d1011", "#f4f6f6", "ansi_default"),
    "surface": ("#14191a", "#ffffff", "ansi_default"),
    "sunken": ("#0f1314", "#f4f6f6", "ansi_default"),
    "raised": ("#20282a", "#e9eeee", "ansi_default"),
    "line": ("#2b3436", "#d5dcdc", "ansi_bright_black"),
    "line-strong": ("#4a575a", "#a9b4b6", "ansi_bright_black"),
    "ink": ("#eef2f2", "#12181a", "ansi_default"),
    "ink-2": ("#bac4c6", "#414c4f", "ansi_default"),
    "ink-3": ("#919da0", "#5c676a", "ansi_default"),
    "sel": ("#8eb0ff", "#2a57d0", "ansi_blue"),
    "sel-soft": ("#18233d", "#e4ecfd", "ansi_default"),
    "run": ("#78d89d", "#17693a", "ansi_green"),
    "ask": ("#efcd62", "#735400", "ansi_yellow"),
    "ask-soft": ("#2b240c", "#fcf4d6", "ansi_default"),
    "deny": ("#ffa198", "#b0211b", "ansi_red"),
    "deny-soft": ("#4a1a17", "#fbdcd9", "ansi_default"),
    "read": ("#aebdc4", "#475960", "ansi_default"),
    "edit": ("#8fbfff", "#1b5cb3", "ansi_blue"),
    "write": ("#c8adff", "#6a3db4", "ansi_magenta"),
    "execute": ("#ffb681", "#944708", "ansi_yellow"),
    "external": ("#66d2d2", "#08656a", "ansi_cyan"),
    "destructive": ("#ffa198", "#b0211b", "ansi_red"),
}
"""The colours of the web app in the dark theme, the light theme, and with 16 colours."""
THEMES = ("dark", "light", "16")
VERDICT_STYLES = {
    Verdict.RUN: "$run",
    Verdict.ASK: "$ask",
    Verdict.DENY: "$deny",
    Verdict.ABSENT: "$deny",
}
Piece = Content | str | tuple[str, str]


def theme_colours(name: str) -> dict[str, str]:
    """The colours of a theme, by name."""
    at = THEMES.index(name)
    found = {token: colours[at] for token, colours in _TOKENS.items()}
    return found | {"ansi-background": "ansi_default", "ansi-foreground": "ansi_default"}


def textual_theme(name: str) -> Theme:
    """The theme as an object of Textual."""
    colours = theme_colours(name)
    return Theme(
        name,
        primary=colours["sel"],
        background=colours["canvas"],
        surface=colours["surface"],
        panel=colours["raised"],
        foreground=colours["ink"],
        accent=colours["sel"],
        warning=colours["ask"],
        error=colours["deny"],
        success=colours["run"],
        dark=name != "light",
        ansi=name == "16",
        variables=colours,
    )


def default_theme_name(environment: Mapping[str, str] = os.environ) -> str:
    """The name of the default theme: `dark`, or `16` if the terminal has few colours or `NO_COLOR` is set."""
    has_many = environment.get("COLORTERM") in ("truecolor", "24bit") or "256" in environment.get("TERM", "")
    return "16" if environment.get("NO_COLOR") or not has_many else "dark"


def styled_line(*pieces: Piece) -> Content:
    """A line of styled texts; markup in a text has no effect."""
    return Content.assemble(*pieces)


def effect_style(effect: Effect) -> str:
    """The style that shows an effect."""
    return f"${effect.value}"


def cut_middle(text: str, width: int) -> str:
    """Shorten a text to `width` cells: a mark in the middle shows how many characters are omitted.

    The end stays, because the end of a command can hurt most.
    """
    length = Content(text).cell_length
    if length <= width:
        return text
    mark = f"…{length - width + 6}…"
    kept = max(width - len(mark), 2)
    tail = kept // 3
    return f"{_fitting_prefix(text, kept - tail)}{mark}{_fitting_prefix(text[::-1], tail)[::-1]}"


def padded_row(width: int, left: Content | str, right: Content | str = "", background: str = "") -> Content:
    """A line of exactly `width` cells, with one text at the left and one at the right."""
    start = left if isinstance(left, Content) else Content(left)
    end = right if isinstance(right, Content) else Content(right)
    room = max(width - end.cell_length - (1 if end else 0), 0)
    start = start.truncate(room, ellipsis=True)
    gap = " " * max(width - start.cell_length - end.cell_length, 0)
    whole = Content.assemble(start, gap, end).truncate(width)
    return whole.stylize_before(f"on {background}") if background else whole


def paragraph_lines(
    width: int, text: str, style: str = "$ink-2", lead: str = "", indent: int = 0
) -> list[Content]:
    """The lines of a paragraph, wrapped at spaces; its beginning can be bold."""
    room = max(width - indent, 8)
    lines = textwrap.wrap(f"{lead}{text}", room, break_on_hyphens=False) or [lead]
    # Wide characters take two cells, which `textwrap` does not count.
    folded = [piece for one in lines for piece in Content.styled(one, style).fold(room)]
    if lead:
        folded[0] = folded[0].stylize("bold $ink", 0, min(len(lead.rstrip()), len(folded[0])))
    return [Content.assemble(" " * indent, one) for one in folded]


def key_label(name: str, word: str, *, is_on: bool = True) -> Content:
    """A key in brackets, and the word for its action."""
    return styled_line(
        (f"[{name}]", "bold $ink" if is_on else "$ink-3"), (word, "$ink-2" if is_on else "$ink-3")
    )


def key_labels(pairs: Iterable[tuple[str, str]], gap: str = "  ") -> Content:
    """Several keys with the words for their actions, on one line."""
    return Content(gap).join([key_label(name, word) for name, word in pairs])


def _fitting_prefix(text: str, width: int) -> str:
    """The longest beginning of a text that fits into `width` cells."""
    taken, used = "", 0
    for character in text:
        used += Content(character).cell_length
        if used > width:
            break
        taken += character
    return taken
