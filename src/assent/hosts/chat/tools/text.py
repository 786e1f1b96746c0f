"""Texts for models, stores and pages: clipped, cleaned, turned into JSON, or extracted from HTML."""

import math
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from urllib.parse import urljoin

from assent.engine.model import as_list, as_object

_TAIL_SHARE = 4
"""A clipped text keeps its end as one part in four: errors often are there."""
_HIDDEN_TAGS = frozenset({"script", "style", "noscript", "template", "svg", "head", "iframe", "object"})
_BLOCK_TAGS = frozenset(
    """address article aside blockquote div dl dd dt fieldset figure footer form header hr main nav ol p pre
    section table tr ul br li h1 h2 h3 h4 h5 h6""".split()
)
_BLANKS = re.compile(r"[ \t\r\f\v]+")
_GAPS = re.compile(r"\n\s*\n\s*")


def clip(text: str, max_characters: int) -> str:
    """The beginning and the end of a text that is too long, with the number of missing characters."""
    if len(text) <= max_characters:
        return text
    tail = max_characters // _TAIL_SHARE
    head = max_characters - tail
    return f"{text[:head]}\n… {len(text) - max_characters:,} more characters …\n{text[len(text) - tail :]}"


def clip_lines(lines: list[str], max_lines: int, noun: str = "") -> str:
    """The first lines, with the number of missing ones."""
    missing = len(lines) - max_lines
    shown = lines[:max_lines] if missing > 0 else lines
    rest = [f"… {missing:,} more{noun and ' ' + noun}"] if missing > 0 else []
    return "\n".join([*shown, *rest])


def clean_text(text: str) -> str:
    """A text without lone surrogates, and with a visible sign for each NUL."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "␀")


def to_json_value(value: object) -> object:
    """A value as JSON; a date, or a number that JSON does not know, becomes a string."""
    if isinstance(value, str):
        return clean_text(value)
    if (members := as_object(value)) is not None:
        return to_json_object(members)
    if (each := as_list(value)) is not None:
        return [to_json_value(one) for one in each]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, (bool, int, float)) else clean_text(str(value))


def to_json_object(members: Mapping[str, object]) -> dict[str, object]:
    """An object as JSON."""
    return {clean_text(str(name)): to_json_value(one) for name, one in members.items()}


def page_text(html: str, base: str) -> tuple[str, str]:
    """The title and the text of an HTML page; the address of each link follows its text."""
    parser = _PageParser(base)
    parser.feed(html)
    parser.close()
    lines = "".join(parser.pieces).splitlines()
    text = _GAPS.sub("\n\n", "\n".join(line.strip() for line in lines)).strip()
    return " ".join(parser.title.split()), text


class _PageParser(HTMLParser):
    """Collects the visible text of a page."""

    def __init__(self, base: str) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.pieces: list[str] = []
        self._base = base
        self._hidden_depth = 0
        self._in_title = False
        self._link = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_title = tag == "title"
        if tag in _HIDDEN_TAGS:
            self._hidden_depth += 1
        if tag in _BLOCK_TAGS:
            self.pieces.append("\n")
        if tag == "li":
            self.pieces.append("- ")
        if re.fullmatch("h[1-6]", tag):
            self.pieces.append("#" * int(tag[1]) + " ")
        if tag == "a":
            self._link = _web_link(dict(attrs).get("href"), self._base)

    def handle_endtag(self, tag: str) -> None:
        self._in_title = False
        if tag in _HIDDEN_TAGS:
            self._hidden_depth = max(0, self._hidden_depth - 1)
        if tag in _BLOCK_TAGS:
            self.pieces.append("\n")
        if tag == "a" and self._link:
            self.pieces.append(f" <{self._link}>")
            self._link = ""

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif not self._hidden_depth:
            self.pieces.append(_BLANKS.sub(" ", data))


def _web_link(href: str | None, base: str) -> str:
    """The absolute address of a link; empty for other schemes and for links to the page itself."""
    try:
        address = urljoin(base, (href or "").strip())
    except ValueError:
        return ""
    return address if href and address.startswith(("http://", "https://")) and address != base else ""
