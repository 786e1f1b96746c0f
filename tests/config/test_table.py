"""A table is read strictly; an error names the file, the line and the expected value."""

from collections.abc import Callable

import pytest

from assent.config.files import Source
from assent.config.table import Table, did_you_mean, read_table
from assent.engine.policy.modes import parse_mode
from assent.errors import ConfigError


def toml_table(text: str) -> Table:
    return read_table(Source("policy.toml", text.encode()))


def json_table(text: str) -> Table:
    return read_table(Source("policy.json", text.encode()))


WRONG_TYPES: list[tuple[str, Callable[[Table], object], str]] = [
    ("mode = 3", lambda t: t.text("mode"), "`mode` must be a text in quotes, not a number"),
    ("mode = true", lambda t: t.text("mode"), "`mode` must be a text in quotes, not `true`"),
    ('on = "yes"', lambda t: t.flag("on"), "`on` must be `true` or `false`, not a text"),
    ("on = 1", lambda t: t.flag("on"), "`on` must be `true` or `false`, not a number"),
    ("n = 0", lambda t: t.number("n"), "`n` must be a whole number above zero, not a number"),
    ("n = true", lambda t: t.number("n"), "`n` must be a whole number above zero, not `true`"),
    ("n = 1.5", lambda t: t.number("n"), "`n` must be a whole number above zero, not a number"),
    ('deny = "rm"', lambda t: t.items("deny"), "`deny` must be a list, not a text"),
    ("deny = {}", lambda t: t.items("deny"), "`deny` must be a list, not a table"),
    ("deny = [1]", lambda t: t.texts("deny"), "`deny` must be a list of texts, not a list"),
    ("tools = []", lambda t: t.table("tools"), "`tools` must be a table, not a list"),
    ("d = 2024-01-01", lambda t: t.text("d"), "`d` must be a text in quotes, not a date"),
]


@pytest.mark.proves("R-13", "R003-66")
@pytest.mark.parametrize(("text", "read", "reason"), WRONG_TYPES)
def test_a_value_of_the_wrong_kind_is_an_error(
    text: str, read: Callable[[Table], object], reason: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        read(toml_table(f"# first line\n{text}"))

    assert str(caught.value) == f"cannot use policy.toml, line 2: {reason}"


@pytest.mark.proves("R003-66")
@pytest.mark.parametrize("key", ["deny", "mode", "on", "n", "tools"])
def test_null_is_a_value_of_the_wrong_type(key: str) -> None:
    readers = {
        "deny": Table.items,
        "mode": Table.text,
        "on": Table.flag,
        "n": Table.number,
        "tools": Table.table,
    }

    with pytest.raises(ConfigError, match="not null"):
        readers[key](json_table(f'{{"{key}": null}}'), key)


@pytest.mark.parametrize("read", [Table.text, Table.flag, Table.number])
def test_a_missing_key_is_none(read: Callable[[Table, str], object]) -> None:
    assert read(toml_table(""), "key") is None


def test_missing_lists_and_tables_are_empty() -> None:
    assert (toml_table("").items("key"), toml_table("").texts("key"), toml_table("").table("key").values) == (
        [],
        (),
        {},
    )


def test_a_misspelled_key_is_refused_with_a_suggestion() -> None:
    with pytest.raises(ConfigError) as caught:
        toml_table('mode = "plan"\ndennny = []').check_keys("mode", "deny", "allow")

    assert str(caught.value) == "cannot use policy.toml, line 2: unknown key `dennny`; did you mean `deny`?"


def test_an_error_in_an_inner_table_names_its_line() -> None:
    table = toml_table('[a]\nx = "1"\n[b]\nx = 2\n').table("b")

    with pytest.raises(ConfigError) as caught:
        table.text("x")

    assert (caught.value.line, caught.value.reason) == (4, "`b.x` must be a text in quotes, not a number")


def test_the_error_for_an_unknown_word_names_its_line() -> None:
    with pytest.raises(ConfigError, match=r"line 1: unknown mode `autoo`: expected one of plan, default,"):
        toml_table('mode = "autoo"').word("mode", parse_mode)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a = 1\nb = \n", 2),
        ('a = "open\n', 1),
        ("deny = [\n'x'\n", 3),
        ("a = 1\na = 2", 2),
        ("[t]\n[t]\n", 2),
        ("a = 1\n\n= 3", 3),
    ],
)
@pytest.mark.proves("R-13")
def test_broken_toml_names_its_line(text: str, line: int) -> None:
    with pytest.raises(ConfigError) as caught:
        toml_table(text)

    assert caught.value.line == line


@pytest.mark.proves("R-13")
def test_broken_json_names_its_line() -> None:
    with pytest.raises(ConfigError) as caught:
        json_table('{"a": 1,\n"b" 2}')

    assert caught.value.line == 2


@pytest.mark.parametrize("text", ["[]", "null", '"text"', "1"])
def test_a_json_file_holds_an_object(text: str) -> None:
    with pytest.raises(ConfigError, match="it must hold an object"):
        json_table(text)


def test_too_deeply_nested_toml_is_an_error() -> None:
    with pytest.raises(ConfigError):
        toml_table("a = " + "[" * 100_000)


def test_a_hint_is_given_only_for_a_similar_word() -> None:
    assert did_you_mean("Bahs", ["Bash", "Read"]) == "; did you mean `Bash`?"
    assert did_you_mean("quite.else", ["Bash", "Read"]) == ""
