"""A page of HTML as text that reads well: headings, lists and links, without scripts."""

import re
from html.parser import HTMLParser
from urllib.parse import urljoin

_UNSEEN = frozenset({"script", "style", "noscript", "template", "svg", "head", "iframe", "object"})
_BLOCKS = frozenset(
    """address article aside blockquote div dl dd dt fieldset figure footer form header hr main nav ol p pre
    section table tr ul br li h1 h2 h3 h4 h5 h6""".split()
)
_BLANKS = re.compile(r"[ \t\r\f\v]+")
_GAPS = re.compile(r"\n\s*\n\s*")


class _Reader(HTMLParser):
    """Collects what a person would see."""

    def __init__(self, base: str) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.pieces: list[str] = []
        self._base = base
        self._unseen = 0
        self._in_title = False
        self._link = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_title = tag == "title"
        if tag in _UNSEEN:
            self._unseen += 1
        if tag in _BLOCKS:
            self.pieces.append("\n")
        if tag == "li":
            self.pieces.append("- ")
        if re.fullmatch("h[1-6]", tag):
            self.pieces.append("#" * int(tag[1]) + " ")
        if tag == "a":
            self._link = _followable(dict(attrs).get("href"), self._base)

    def handle_endtag(self, tag: str) -> None:
        self._in_title = False
        if tag in _UNSEEN:
            self._unseen = max(0, self._unseen - 1)
        if tag in _BLOCKS:
            self.pieces.append("\n")
        if tag == "a" and self._link:
            self.pieces.append(f" <{self._link}>")
            self._link = ""

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif not self._unseen:
            self.pieces.append(_BLANKS.sub(" ", data))


def page_text(html: str, base: str) -> tuple[str, str]:
    """The title of a page and its text, with each link's address behind it."""
    reader = _Reader(base)
    reader.feed(html)
    reader.close()
    lines = "".join(reader.pieces).splitlines()
    text = _GAPS.sub("\n\n", "\n".join(line.strip() for line in lines)).strip()
    return " ".join(reader.title.split()), text


def _followable(href: str | None, base: str) -> str:
    try:
        there = urljoin(base, (href or "").strip())
    except ValueError:
        return ""
    return there if href and there.startswith(("http://", "https://")) and there != base else ""
