"""The names by which a rule means what is fed to a command."""

from dataclasses import replace

import pytest

from assent.engine.decide import decide
from assent.engine.facts import Facts, PathUse, Place
from assent.engine.lines.input_names import (
    Fed,
    InputSource,
    Named,
    is_almost_named,
    named_input,
    names_of,
    written_name,
)
from assent.engine.lines.quoting import quote_words
from assent.engine.policy.rule import parse_rule
from assent.engine.suggestions import suggestions
from assent.errors import RuleSyntaxError
from tests.engine import given

ONE, TWO = "1" * 64, "2" * 64
PLACE = Place(roots=("/project",), cwd="/project")
FILE = Fed(file=PathUse("db/x.sql"))
FACTS = Facts(
    place=PLACE, real={"/project/db/x.sql": ("/project/db/x.sql",)}, contents={"/project/db/x.sql": ONE}
)


@pytest.mark.parametrize(
    ("specifier", "named"),
    [
        ("npm test", Named("npm test", "")),
        (f"python3 - << sha256:{ONE}", Named("python3 -", f"text sha256:{ONE}")),
        (f"python3 - << hmac:{ONE} 'import os'", Named("python3 -", f"text hmac:{ONE}")),
        (f"psql < /x.sql sha256:{ONE}", Named("psql", f"file /x.sql sha256:{ONE}")),
        (f"psql < '/a b.sql' hmac:{ONE}", Named("psql", f"file /a b.sql hmac:{ONE}")),
        (f"echo '<<' sha256:{ONE}", Named(f"echo '<<' sha256:{ONE}", "")),
        (f"echo 'a << sha256:{ONE}'", Named(f"echo 'a << sha256:{ONE}'", "")),
        (f"echo \"a\" 'b << sha256:{ONE} 'c''", Named(f"echo \"a\" 'b << sha256:{ONE} 'c''", "")),
        (f"psql << sha256:{ONE} < /x sha256:{TWO}", Named(f"psql << sha256:{ONE}", f"file /x sha256:{TWO}")),
        ("psql < x.sql", Named("psql < x.sql", "")),
    ],
)
def test_a_specifier_is_divided_into_words_and_input(specifier: str, named: Named) -> None:
    assert named_input(specifier) == named


@pytest.mark.parametrize(
    "words",
    [("echo", "<<", f"sha256:{ONE}"), ("echo", "<", "/x", f"sha256:{ONE}"), ("a", f"b << hmac:{ONE}")],
)
def test_the_words_of_a_command_are_never_taken_for_the_name_of_an_input(words: tuple[str, ...]) -> None:
    assert named_input(quote_words(words)) == Named(quote_words(words), "")


@pytest.mark.parametrize(
    "specifier",
    ["psql << sha256:12", f"psql << sha256:{ONE} more", "psql < /x hmac:", f"psql << md5 hmac:{ONE[1:]}"],
)
def test_a_rule_that_almost_names_an_input_is_an_error(specifier: str) -> None:
    assert is_almost_named(specifier)
    with pytest.raises(RuleSyntaxError, match="name an input with"):
        parse_rule(f"sh({specifier})")


@pytest.mark.parametrize(
    "specifier", ["npm test", "psql < x.sql", f"python3 << sha256:{ONE}", "echo 'a << sha256:1'"]
)
def test_another_rule_is_none(specifier: str) -> None:
    assert not is_almost_named(specifier)


def test_a_text_is_named_by_its_digest_and_by_its_keyed_one_where_there_is_a_key() -> None:
    fed = Fed(text="select 1")

    (plain,) = names_of(fed, FACTS, b"")
    assert names_of(fed, FACTS, b"key")[0] == plain
    assert names_of(fed, FACTS, b"key")[1].startswith("text hmac:")
    name = written_name(fed, FACTS, b"")
    assert name == f"<< {plain.removeprefix('text ')} 'select 1'"


def test_a_file_is_named_by_its_path_and_its_digest() -> None:
    assert names_of(FILE, FACTS, b"") == (f"file /db/x.sql sha256:{ONE}",)
    assert written_name(FILE, FACTS, b"") == f"< /db/x.sql sha256:{ONE}"


@pytest.mark.parametrize(
    ("fed", "facts"),
    [
        (Fed(unnamed=InputSource.PIPE), FACTS),
        (FILE, Facts(place=PLACE, real=FACTS.real)),
        (FILE, Facts(place=PLACE, real={"/project/db/x.sql": ("/srv/x.sql",)}, contents=FACTS.contents)),
        (FILE, Facts(place=PLACE, contents=FACTS.contents)),
        (Fed(file=PathUse("~/x", tilde=True)), FACTS),
    ],
)
def test_what_is_not_known_or_elsewhere_has_no_name(fed: Fed, facts: Facts) -> None:
    assert names_of(fed, facts, b"key") == ()
    assert written_name(fed, facts, b"key") is None


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
    call, policy = given.run(line), given.policy(allow=rules)
    facts = replace(given.facts(call, policy), contents={"/project/db/x.sql": ONE})

    assert decide(call, policy, facts).verdict.word == verdict


def test_nothing_is_suggested_for_a_line_that_runs_what_it_writes() -> None:
    call, policy = given.run("dd of=s <<< 'frob'; sh s"), given.policy()

    assert suggestions(call, policy, given.facts(call, policy)) == ()
