"""Text functions: clip long texts, remove invalid characters, convert to JSON, extract text from HTML."""

import math
import re
from collections.abc import Mapping
from html import unescape
from urllib.parse import urljoin

from assent.engine.base.tool import as_list, as_object

_TAIL_DIVISOR = 4
"""One quarter of a clipped text is its end, where error messages often are."""
_HIDDEN_TAGS = frozenset({"script", "style", "noscript", "template", "svg", "iframe", "object"})
_RAW_TAGS = frozenset({"script", "style", "noscript", "iframe", "title", "textarea"})
"""Tags whose content is plain text up to the closing tag, even if it looks like markup."""
_BLOCK_TAGS = frozenset(
    """address article aside blockquote div dl dd dt fieldset figure footer form header hr main nav ol p pre
    section table tr ul br li h1 h2 h3 h4 h5 h6""".split()
)
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_MARKUP = re.compile(r"<(?:(?P<comment>!--)|(?P<end>/?)(?P<tag>[A-Za-z][^\s/>]*)|[!?/])")
_TAG_END = re.compile(r"""(?:[^>=]|=\s*"[^"]*"|=\s*'[^']*'|=)*+>""")
_HREF = re.compile(r"""(?<![^\s"'/])href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_SPACES = re.compile(r"[ \t\r\f\v]+")
_EMPTY_LINES = re.compile(r"\n\s*\n\s*")


def clip_text(text: str, max_characters: int) -> str:
    """Shorten a long text to its beginning and end, with the number of omitted characters between them."""
    if len(text) <= max_characters:
        return text
    tail = max_characters // _TAIL_DIVISOR
    head = max_characters - tail
    return f"{text[:head]}\n… {len(text) - max_characters:,} more characters …\n{text[len(text) - tail :]}"


def clip_lines(lines: list[str], max_lines: int, noun: str = "") -> str:
    """Join the first lines, followed by the number of omitted lines."""
    missing = len(lines) - max_lines
    shown = lines[:max_lines] if missing > 0 else lines
    rest = [f"… {missing:,} more{noun and ' ' + noun}"] if missing > 0 else []
    return "\n".join([*shown, *rest])


def replace_invalid_characters(text: str) -> str:
    """Replace lone surrogates, and show each NUL character as a visible sign."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "␀")


def to_json_value(value: object) -> object:
    """Convert a value to JSON; dates and special numbers such as infinity become strings."""
    if isinstance(value, str):
        return replace_invalid_characters(value)
    if (members := as_object(value)) is not None:
        return to_json_object(members)
    if (each := as_list(value)) is not None:
        return [to_json_value(one) for one in each]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return (
        value
        if value is None or isinstance(value, (bool, int, float))
        else replace_invalid_characters(str(value))
    )


def to_json_object(members: Mapping[str, object]) -> dict[str, object]:
    """Convert all members of an object to JSON."""
    return {replace_invalid_characters(str(name)): to_json_value(one) for name, one in members.items()}


def page_title_and_text(html: str, base: str) -> tuple[str, str]:
    """Extract the title and the text of an HTML page; each link is followed by its address.

    INVARIANT: the scan never goes back, so that its time is linear in the length of the page.
    """
    page = _PageText(base)
    position = 0
    while (found := _MARKUP.search(html, position)) is not None:
        page.add_text(html[position : found.start()])
        tag = (found["tag"] or "").lower()
        end = _markup_end(html, found)
        if tag and not found["end"]:
            attributes = html[found.end() : end]
            page.handle_start_tag(tag, attributes)
            if tag in _RAW_TAGS and not attributes.endswith("/>"):
                closing = re.compile(f"</{tag}(?=[\\s/>])", re.IGNORECASE).search(html, end)
                content_end = len(html) if closing is None else closing.start()
                page.add_text(html[end:content_end])
                end = content_end
        elif tag:
            page.handle_end_tag(tag)
        position = end
    page.add_text(html[position:])
    return page.page_title, page.page_text


def _markup_end(html: str, markup: re.Match[str]) -> int:
    """The position after a tag or comment; markup without an end extends to the end of the page."""
    if markup["comment"]:
        end = html.find("-->", markup.end())
        return len(html) if end < 0 else end + 3
    if markup["tag"]:
        found = _TAG_END.match(html, markup.end())
        return len(html) if found is None else found.end()
    end = html.find(">", markup.end())
    return len(html) if end < 0 else end + 1


class _PageText:
    """Collects the title and the visible text of a page."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._titles: list[str] = []
        self._pieces: list[str] = []
        self._hidden_depth = 0
        self._in_title = False
        self._link = ""

    @property
    def page_title(self) -> str:
        return " ".join("".join(self._titles).split())

    @property
    def page_text(self) -> str:
        lines = "".join(self._pieces).splitlines()
        return _EMPTY_LINES.sub("\n\n", "\n".join(line.strip() for line in lines)).strip()

    def handle_start_tag(self, tag: str, attributes: str) -> None:
        self._in_title = tag == "title" and not self._hidden_depth
        if tag in _HIDDEN_TAGS:
            self._hidden_depth += 1
        if tag in _BLOCK_TAGS:
            self._pieces.append("\n")
        if tag == "li":
            self._pieces.append("- ")
        if tag in _HEADINGS:
            self._pieces.append(_HEADINGS[tag])
        if tag == "a":
            found = _HREF.search(attributes)
            self._link = (
                "" if found is None else _absolute_link(found[1] or found[2] or found[3] or "", self._base)
            )

    def handle_end_tag(self, tag: str) -> None:
        self._in_title = False
        if tag in _HIDDEN_TAGS:
            self._hidden_depth = max(0, self._hidden_depth - 1)
        if tag in _BLOCK_TAGS:
            self._pieces.append("\n")
        if tag == "a" and self._link:
            self._pieces.append(f" <{self._link}>")
            self._link = ""

    def add_text(self, raw: str) -> None:
        if not raw or self._hidden_depth:
            return
        text = _unescape(raw)
        if self._in_title:
            self._titles.append(text)
        else:
            self._pieces.append(_SPACES.sub(" ", text))


def _unescape(text: str) -> str:
    """Replace character references such as `&amp;`; a reference with too many digits is left unchanged."""
    try:
        return unescape(text)
    except ValueError:
        return text


def _absolute_link(href: str, base: str) -> str:
    """The absolute http address of a link; empty for other schemes and for links within the page."""
    try:
        address = urljoin(base, _unescape(href).strip())
    except ValueError:
        return ""
    return address if href and address.startswith(("http://", "https://")) and address != base else ""
