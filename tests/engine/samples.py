"""Calls with known properties, and rules that are known to match them or not."""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from assent.engine.base.facts import Facts
from assent.engine.base.tool import Call, Dialect, Effect, Tool
from tests.engine import given

WHO = {"user": "ana", "agent": "clerk", "conversation": "c1"}
READ_FILE, SAVE_FILE = given.READ_FILE.name, given.SAVE_FILE.name


@dataclass(frozen=True, kw_only=True, eq=False)
class Sample:
    """A call, its properties, and rules that match it certainly, perhaps, or not."""

    name: str
    args: dict[str, object]
    tool: str
    dialect: Dialect = Dialect.TEXT
    template: str | None = None
    truths: dict[str, bool] = field(default_factory=dict)
    """The fields that the `Situation` of the call must have."""
    elsewhere_if_read: bool = False
    """True if the path counts as read outside the workspace only if the tool reads."""
    trust: bool = False
    """True if the properties hold only in a trusted repository."""
    links: dict[str, str] = field(default_factory=dict)
    without_facts: bool = False
    hits: tuple[str, ...] = ()
    perhaps: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()
    covers: tuple[tuple[str, ...], ...] = ()
    """Sets of scoped allow rules that together cover the call."""
    strangers: tuple[str, ...] = ()
    """Allow rules that do not cover the call, even together."""

    @property
    def rules_for_whole_tool(self) -> tuple[str, ...]:
        """Rules that name only the tool."""
        return (self.tool, self.tool.partition(".")[0] + ".*", "*")

    @property
    def call(self) -> Call:
        """The call itself, with a caller that a grant may name."""
        return Call(tool=self.tool, args=self.args, **WHO)

    def tool_with_effect(self, effect: Effect) -> Tool:
        return Tool(name=self.tool, effect=effect, dialect=self.dialect, template=self.template)

    @lru_cache  # noqa: B019 - there are a few dozen samples, and they live as long as the tests
    def facts(self, *, trusted: bool) -> Facts:
        catalog = given.make_snapshot(*given.TOOLS, self.tool_with_effect(Effect.EXTERNAL))
        found = given.make_facts(self.call, catalog, links=self.links, trusted=trusted)
        return replace(found, real={}) if self.without_facts else found


def _text_sample(name: str, **more: Any) -> Sample:
    return Sample(name=name, **{"tool": "tickets.close"} | more)


def _file_sample(name: str, path: str | None, **more: Any) -> Sample:
    args = {} if path is None else {"path": path}
    return Sample(name=name, tool="files.touch", dialect=Dialect.PATH, args=args, **more)


def _line_sample(name: str, command: str, **more: Any) -> Sample:
    args = {"command": command}
    return Sample(name=name, tool="terminal.exec", dialect=Dialect.SHELL, args=args, **more)


TEXTS = (
    _text_sample(
        "named arguments",
        args={"repo": "acme/site", "number": 7},
        hits=("tickets.close(repo=acme/*)", "tickets.close(number=7)", "tickets.close(acme/site)"),
        misses=("tickets.close(repo=other/*)", "tickets.close(label=bug)", "tickets.open"),
        covers=(("tickets.close(repo=acme/*)",), ("tickets.close(repo=acme/site, number=7)",)),
        strangers=("tickets.close(acme/site)", "tickets.close(repo=acme/*, label=bug)"),
    ),
    _text_sample(
        "an argument that shows something else than it says",
        args={"repo": "acme/\u202esite"},
        truths={"unreadable": True},
        hits=("tickets.close(repo=acme/*)",),
        misses=("tickets.close(repo=acme/site)",),
        covers=(("tickets.close(repo=acme/*)",),),
        strangers=("tickets.close(repo=acme/site)",),
    ),
    _text_sample(
        "a template",
        tool="web.fetch",
        template="{url}",
        args={"url": "https://docs.example/a"},
        hits=("web.fetch(https://docs.example/*)", "web.fetch(*docs.example*)"),
        misses=("web.fetch(https://evil.example/*)", "web.post"),
        covers=(("web.fetch(https://docs.example/*)",), ("web.fetch(https://docs.example/a)",)),
        strangers=("web.fetch(https://docs.example)",),
    ),
    _text_sample(
        "a template without its argument",
        tool="web.fetch",
        template="{url}",
        args={},
        hits=("web.fetch(*)",),
        misses=("web.fetch(https://docs.example/*)",),
        strangers=("web.fetch(*)", "web.fetch(https://docs.example/*)"),
    ),
)
FILES = (
    _file_sample(
        "a file of the workspace",
        "src/a.py",
        hits=(
            "files.touch(/src/**)",
            "files.touch(*.py)",
            "files.touch(//project/src/a.py)",
            "files.touch(./src/*)",
        ),
        misses=("files.touch(/lib/**)", "files.touch(~/**)", "files.touch(*.pyc)"),
        covers=(("files.touch(/src/**)",), ("files.touch(*.py)",), ("files.touch(//project/**)",)),
        strangers=("files.touch(/src/b.py)", "files.touch(~/**)"),
    ),
    _file_sample(
        "a file outside",
        "/srv/data.csv",
        truths={"leaves": True},
        elsewhere_if_read=True,
        hits=("files.touch(//srv/**)", "files.touch(//srv/data.csv)"),
        misses=("files.touch(/srv/**)", "files.touch(*.csv)"),
        covers=(("files.touch(//srv/**)",),),
        strangers=("files.touch(/**)", "files.touch(*.csv)"),
    ),
    _file_sample(
        "a link that leads outside",
        "src/link.csv",
        links={"/project/src/link.csv": "/srv/data.csv"},
        truths={"leaves": True},
        elsewhere_if_read=True,
        hits=("files.touch(/src/**)", "files.touch(//srv/**)"),
        misses=("files.touch(/lib/**)", "files.touch(//srv/other/**)"),
        covers=(("files.touch(//**)",), ("files.touch(/src/**)", "files.touch(//srv/**)")),
        strangers=("files.touch(/src/**)",),
    ),
    _file_sample(
        "a file nobody looked up",
        "src/a.py",
        without_facts=True,
        truths={"leaves": True},
        elsewhere_if_read=True,
        hits=("files.touch(/src/**)",),
        misses=("files.touch(/lib/**)",),
        strangers=("files.touch(/src/**)", "files.touch(//**)"),
    ),
    _file_sample(
        "no path at all",
        None,
        truths={"leaves": True},
        elsewhere_if_read=True,
        perhaps=("files.touch(/src/**)", "files.touch(*.py)"),
        strangers=("files.touch(/src/**)", "files.touch(//**)"),
    ),
    _file_sample(
        "a protected file",
        ".git/config",
        truths={"protected": True},
        hits=("files.touch(/.git/**)",),
        misses=("files.touch(/src/**)",),
        covers=(("files.touch(/.git/config)",),),
        strangers=("files.touch(/src/**)",),
    ),
    _file_sample(
        "a secret",
        "deploy/.env",
        elsewhere_if_read=True,
        hits=("files.touch(.env)", "files.touch(/deploy/*)"),
        misses=("files.touch(.envrc)",),
        covers=(("files.touch(/deploy/**)",),),
        strangers=("files.touch(/src/**)",),
    ),
    _file_sample(
        "the workspace itself",
        ".",
        truths={"at_root": True},
        hits=("files.touch(//project)",),
        misses=("files.touch(/src/**)",),
        covers=(("files.touch(//project)",),),
        strangers=("files.touch(/src/**)",),
    ),
)
LINES = (
    _line_sample(
        "a reader",
        "cat src/a.py",
        truths={"only_reads": True},
        hits=("terminal.exec(cat *)", f"{READ_FILE}(/src/**)", f"{READ_FILE}(*.py)"),
        misses=("terminal.exec(cat)", f"{READ_FILE}(/lib/**)", f"{SAVE_FILE}(/src/**)"),
        covers=(("terminal.exec(cat *)",), ("terminal.exec(cat src/*)",)),
        strangers=("terminal.exec(ls *)", f"{READ_FILE}(/src/**)"),
    ),
    _line_sample(
        "a reader in a repository",
        "git status",
        trust=True,
        truths={"only_reads": True},
        hits=("terminal.exec(git *)", "terminal.exec(git status*)"),
        misses=("terminal.exec(git push *)",),
        covers=(("terminal.exec(git status)",), ("terminal.exec(git *)",)),
        strangers=("terminal.exec(git push *)",),
    ),
    _line_sample(
        "a reader of a secret outside",
        "cat /etc/shadow",
        truths={"only_reads": True, "elsewhere": True},
        hits=("terminal.exec(cat *)", f"{READ_FILE}(//etc/**)"),
        misses=(f"{READ_FILE}(/etc/**)",),
        covers=(("terminal.exec(cat /etc/*)",),),
        strangers=("terminal.exec(cat)", f"{READ_FILE}(//etc/**)"),
    ),
    _line_sample(
        "a program nobody knows",
        "frobnicate all",
        hits=("terminal.exec(frobnicate *)", "terminal.exec(*all)"),
        misses=("terminal.exec(frob)", "terminal.exec(* frobnicate)"),
        covers=(("terminal.exec(frobnicate *)",), ("terminal.exec(* all)",)),
        strangers=("terminal.exec(frob *)", "terminal.exec(frobnicate)"),
    ),
    _line_sample(
        "two programs",
        "frobnicate all && rm -r dist",
        hits=("terminal.exec(rm *)", "terminal.exec(frobnicate *)"),
        misses=("terminal.exec(rm)", "terminal.exec(all*)"),
        covers=(("terminal.exec(frobnicate *)", "terminal.exec(rm -r dist)"),),
        strangers=("terminal.exec(frobnicate *)", "terminal.exec(rm -rf *)"),
    ),
    _line_sample(
        "a reader and a program",
        "cat src/a.py | frobnicate",
        hits=("terminal.exec(cat *)", "terminal.exec(frobnicate *)"),
        misses=("terminal.exec(rm *)",),
        covers=(("terminal.exec(frobnicate *)",),),
        # Exact words cover a program only while nothing is fed to it.
        strangers=("terminal.exec(cat *)", "terminal.exec(frobnicate)"),
    ),
    _line_sample(
        "a word nobody knows",
        "frobnicate $TARGET",
        hits=("terminal.exec(frobnicate *)",),
        perhaps=("terminal.exec(frobnicate d*)", "terminal.exec(*--force*)"),
        misses=("terminal.exec(rm *)",),
        strangers=("terminal.exec(frobnicate *)", "terminal.exec(*)"),
    ),
    _line_sample(
        "a program that is computed",
        "$TOOL all",
        truths={"unreadable": True},
        perhaps=("terminal.exec(rm *)",),
        strangers=("terminal.exec(*)", "terminal.exec(* all)"),
    ),
    _line_sample(
        "half a line",
        "if true; then",
        truths={"unreadable": True},
        misses=("terminal.exec(rm *)", "terminal.exec(if *)"),
        strangers=("terminal.exec(*)",),
    ),
    _line_sample(
        "an invisible character",
        "frobnicate a\u200bll",
        truths={"unreadable": True},
        misses=("terminal.exec(rm *)",),
        strangers=("terminal.exec(*)",),
    ),
    _line_sample(
        "a catastrophe",
        "rm -rf /",
        truths={"catastrophe": True},
        hits=("terminal.exec(rm *)",),
        misses=("terminal.exec(rm -r /)",),
        covers=(("terminal.exec(rm *)",), ("terminal.exec(rm -rf /)",)),
        strangers=("terminal.exec(ls *)",),
    ),
    _line_sample(
        "output to a file",
        "echo hi > notes.txt",
        hits=("terminal.exec(echo *)", f"{SAVE_FILE}(/notes.txt)"),
        misses=("terminal.exec(cat *)", f"{READ_FILE}(/notes.txt)"),
        covers=((f"{SAVE_FILE}(/notes.txt)",), (f"{SAVE_FILE}(*.txt)", "terminal.exec(echo *)")),
        strangers=("terminal.exec(echo *)", f"{SAVE_FILE}(/src/**)"),
    ),
    _line_sample(
        "output to a protected file",
        "frobnicate > .git/config",
        truths={"protected": True},
        hits=("terminal.exec(frobnicate)", f"{SAVE_FILE}(/.git/**)"),
        misses=(f"{SAVE_FILE}(/src/**)",),
        covers=((f"{SAVE_FILE}(/.git/**)", "terminal.exec(frobnicate *)"),),
        strangers=("terminal.exec(frobnicate *)",),
    ),
    _line_sample(
        "a program in another directory",
        "cd /srv/other && frobnicate all",
        hits=("terminal.exec(frobnicate *)", "terminal.exec(cd *)"),
        misses=("terminal.exec(rm *)",),
        strangers=("terminal.exec(frobnicate *)", "terminal.exec(cd *)"),
    ),
    _line_sample(
        "a reader as somebody else",
        "sudo cat src/a.py",
        hits=("terminal.exec(cat *)", "terminal.exec(sudo *)"),
        misses=("terminal.exec(rm *)",),
        covers=(("terminal.exec(sudo cat *)",),),
        strangers=("terminal.exec(cat *)",),
    ),
)
SAMPLES = (*TEXTS, *FILES, *LINES)
