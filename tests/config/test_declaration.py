"""A tool can be declared once, and what is known of it can be raised and never lowered."""

import pytest

from assent.config.declaration import declared, read_declarations
from assent.config.source import Source
from assent.config.table import Table, read_table
from assent.config.tools import KNOWN
from assent.engine.model import Dialect, Effect, PathKind, Tool
from assent.errors import ConfigError


def tools(text: str) -> Table:
    return read_table(Source("policy.toml", text.encode())).table("tools")


def after(text: str, name: str) -> Tool:
    return declared(name, read_declarations(tools(text))[name], KNOWN)


def test_a_new_tool_is_what_its_table_says() -> None:
    text = """
[tools."disk.wipe"]
effect = "destructive"
dialect = "path"
template = "{volume}"
paths = "anchored"
group = "disk"
description = "Wipe a volume."
"""
    assert after(text, "disk.wipe") == Tool(
        name="disk.wipe",
        effect=Effect.DESTRUCTIVE,
        dialect=Dialect.PATH,
        template="{volume}",
        paths=PathKind.ANCHORED,
        group="disk",
        description="Wipe a volume.",
    )


@pytest.mark.proves("R000-7")
def test_a_tool_that_declares_nothing_is_external() -> None:
    assert after("[tools.x]", "x") == Tool(name="x", effect=Effect.EXTERNAL, dialect=Dialect.TEXT)


def test_a_known_tool_can_be_raised() -> None:
    raised = after('[tools."files.delete"]\neffect = "destructive"', "files.delete")

    assert raised.effect is Effect.DESTRUCTIVE
    assert (raised.dialect, raised.template) == (Dialect.PATH, "{path}")
    assert raised.reads is False


@pytest.mark.proves("D-6")
def test_a_reader_stays_one_when_it_is_raised() -> None:
    assert after('[tools."files.read"]\neffect = "write"', "files.read").reads is True


@pytest.mark.proves("T-6")
@pytest.mark.parametrize("effect", ["read", "edit", "write"])
def test_a_known_tool_cannot_be_lowered(effect: str) -> None:
    with pytest.raises(ConfigError) as caught:
        after(f'[tools.Bash]\neffect = "{effect}"', "Bash")

    assert caught.value.line == 2
    assert caught.value.reason == f"`Bash` is `execute`, which can be raised but not lowered to `{effect}`"


@pytest.mark.parametrize("line", ['dialect = "text"', 'template = "{description}"', 'paths = "anchored"'])
def test_how_a_known_tool_is_read_cannot_be_changed(line: str) -> None:
    with pytest.raises(ConfigError, match="is known already and its"):
        after(f"[tools.Bash]\n{line}", "Bash")


def test_saying_again_what_is_known_is_no_change() -> None:
    assert after('[tools.Bash]\ndialect = "shell"\neffect = "execute"', "Bash") == KNOWN["Bash"]


@pytest.mark.proves("R000-1", "R001-42")
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('effect = "harmless"', "unknown effect `harmless`: expected one of read, edit, write, execute,"),
        ('dialect = "fish"', "unknown dialect `fish`: expected one of shell, powershell, path, text"),
        ('paths = "nt"', "unknown kind of paths `nt`: expected one of os, anchored"),
        ('efect = "read"', "unknown key `efect`; did you mean `effect`?"),
        ("effect = 1", "`tools.x.effect` must be a text in quotes, not a number"),
    ],
)
def test_a_word_that_is_none_of_ours_is_an_error(line: str, reason: str) -> None:
    with pytest.raises(ConfigError) as caught:
        after(f"[tools.x]\n{line}", "x")

    assert caught.value.line == 2
    assert caught.value.reason.startswith(reason)


@pytest.mark.proves("T-36")
@pytest.mark.parametrize("name", ["search_x; drop", "lis\u0442_items", "", "a" * 129, "two words", "a*"])
def test_a_tool_cannot_have_a_name_that_fools_a_pattern(name: str) -> None:
    with pytest.raises(ConfigError, match="a tool cannot be called"):
        read_declarations(tools(f'[tools."{name}"]'))
