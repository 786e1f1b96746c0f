"""The words of a specifier, and the input of a command that it names."""

import shlex
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assent.engine.base.facts import CallDirectories, Facts, PathUse
from assent.engine.base.globs import parse_glob
from assent.engine.decide import decide
from assent.engine.lines.specifier import (
    InputSource,
    SplitSpecifier,
    StandardInput,
    has_malformed_input,
    input_names,
    pattern_words,
    quote_words,
    split_specifier,
    suggested_input_name,
)
from assent.engine.policy.rule import parse_rule
from assent.engine.suggestions import suggestions
from assent.errors import RuleSyntaxError
from tests.engine import given as setup

ONE, TWO = "1" * 64, "2" * 64
DIRECTORIES = CallDirectories(roots=("/project",), cwd="/project")
FILE = StandardInput(file=PathUse("db/x.sql"))
FACTS = Facts(
    directories=DIRECTORIES,
    real={"/project/db/x.sql": ("/project/db/x.sql",)},
    contents={"/project/db/x.sql": ONE},
)


@pytest.mark.parametrize(
    ("specifier", "named"),
    [
        ("npm test", SplitSpecifier("npm test", "")),
        (f"python3 - << sha256:{ONE}", SplitSpecifier("python3 -", f"text sha256:{ONE}")),
        (f"python3 - << hmac:{ONE} 'import os'", SplitSpecifier("python3 -", f"text hmac:{ONE}")),
        (f"psql < /x.sql sha256:{ONE}", SplitSpecifier("psql", f"file /x.sql sha256:{ONE}")),
        (f"psql < '/a b.sql' hmac:{ONE}", SplitSpecifier("psql", f"file /a b.sql hmac:{ONE}")),
        (f"echo '<<' sha256:{ONE}", SplitSpecifier(f"echo '<<' sha256:{ONE}", "")),
        (f"echo 'a << sha256:{ONE}'", SplitSpecifier(f"echo 'a << sha256:{ONE}'", "")),
        (f"echo \"a\" 'b << sha256:{ONE} 'c''", SplitSpecifier(f"echo \"a\" 'b << sha256:{ONE} 'c''", "")),
        (
            f"psql << sha256:{ONE} < /x sha256:{TWO}",
            SplitSpecifier(f"psql << sha256:{ONE}", f"file /x sha256:{TWO}"),
        ),
        ("psql < x.sql", SplitSpecifier("psql < x.sql", "")),
    ],
)
def test_a_specifier_is_divided_into_words_and_input(specifier: str, named: SplitSpecifier) -> None:
    assert split_specifier(specifier) == named


@pytest.mark.parametrize(
    "words",
    [("echo", "<<", f"sha256:{ONE}"), ("echo", "<", "/x", f"sha256:{ONE}"), ("a", f"b << hmac:{ONE}")],
)
def test_words_of_a_command_are_never_read_as_the_name_of_an_input(words: tuple[str, ...]) -> None:
    assert split_specifier(quote_words(words)) == SplitSpecifier(quote_words(words), "")


@pytest.mark.parametrize(
    "specifier",
    ["psql << sha256:12", f"psql << sha256:{ONE} more", "psql < /x hmac:", f"psql << md5 hmac:{ONE[1:]}"],
)
def test_a_rule_that_almost_names_an_input_is_an_error(specifier: str) -> None:
    assert has_malformed_input(specifier)
    with pytest.raises(RuleSyntaxError, match="name an input with"):
        parse_rule(f"sh({specifier})")


@pytest.mark.parametrize(
    "specifier", ["npm test", "psql < x.sql", f"python3 << sha256:{ONE}", "echo 'a << sha256:1'"]
)
def test_other_rules_have_no_malformed_input(specifier: str) -> None:
    assert not has_malformed_input(specifier)


def test_a_text_is_named_by_its_digest_and_by_its_keyed_one_where_there_is_a_key() -> None:
    fed = StandardInput(text="select 1")

    (plain,) = input_names(fed, FACTS, b"")
    assert input_names(fed, FACTS, b"key")[0] == plain
    assert input_names(fed, FACTS, b"key")[1].startswith("text hmac:")
    name = suggested_input_name(fed, FACTS, b"")
    assert name == f"<< {plain.removeprefix('text ')} 'select 1'"


def test_a_file_is_named_by_its_path_and_its_digest() -> None:
    assert input_names(FILE, FACTS, b"") == (f"file /db/x.sql sha256:{ONE}",)
    assert suggested_input_name(FILE, FACTS, b"") == f"< /db/x.sql sha256:{ONE}"


@pytest.mark.parametrize(
    ("fed", "facts"),
    [
        (StandardInput(unnamed_source=InputSource.PIPE), FACTS),
        (FILE, Facts(directories=DIRECTORIES, real=FACTS.real)),
        (
            FILE,
            Facts(
                directories=DIRECTORIES, real={"/project/db/x.sql": ("/srv/x.sql",)}, contents=FACTS.contents
            ),
        ),
        (FILE, Facts(directories=DIRECTORIES, contents=FACTS.contents)),
        (StandardInput(file=PathUse("~/x", tilde=True)), FACTS),
    ],
)
def test_an_unknown_input_or_a_file_outside_has_no_name(fed: StandardInput, facts: Facts) -> None:
    assert input_names(fed, facts, b"key") == ()
    assert suggested_input_name(fed, facts, b"key") is None


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("ls src; psql < db/x.sql", "run"),
        ("psql < db/x.sql > out.txt", "run"),
        ("psql < db/x.sql > other/x.sql", "ask"),
        ("frob && psql < db/x.sql", "ask"),
    ],
)
def test_a_file_that_the_line_may_write_has_no_name(line: str, verdict: str) -> None:
    rules = [f"terminal.exec(psql < /db/x.sql sha256:{ONE})", "terminal.exec(frob)", "files.save(/**)"]
    call, policy = setup.shell_call(line), setup.make_snapshot(allow=rules)
    facts = replace(setup.make_facts(call, policy), contents={"/project/db/x.sql": ONE})

    assert decide(call, policy, facts).verdict.word == verdict


def test_no_rule_is_suggested_for_a_line_that_runs_a_file_it_writes() -> None:
    call, policy = setup.shell_call("dd of=s <<< 'frob'; sh s"), setup.make_snapshot()

    assert suggestions(call, policy, setup.make_facts(call, policy)) == ()


words = st.lists(st.text(alphabet="ab '\"\\*$\t\n-=", max_size=8), min_size=1, max_size=5)


@pytest.mark.parametrize(
    ("specifier", "expected"),
    [
        ("npm run *", ("npm", "run", "*")),
        ("npm run test:*", ("npm", "run", "test", "*")),
        ("git:*", ("git", "*")),
        ("echo 'a b' \"c d\"", ("echo", "a b", "c d")),
        ("echo '*'", ("echo", "\\*")),
        ("echo \\*", ("echo", "\\*")),
        ("echo \\a", ("echo", "a")),
        ("echo ''", ("echo", "")),
        ("  a\tb\nc  ", ("a", "b", "c")),
        ("echo it's", ("echo", "it's")),
        ("a\\", ("a\\",)),
        ("a'b'c", ("abc",)),
    ],
)
def test_a_specifier_is_split_into_words_as_in_a_shell(specifier: str, expected: tuple[str, ...]) -> None:
    assert pattern_words(specifier) == expected


@settings(max_examples=500)
@given(words)
@pytest.mark.proves("T-30")
def test_quoted_words_match_only_themselves(parts: list[str]) -> None:
    text = quote_words(tuple(parts))
    found = pattern_words(text)

    assert [parse_glob(word).pieces for word in found] == [(part,) for part in parts]
    assert shlex.split(text) == parts
