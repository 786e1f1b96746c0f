"""Named arguments in rules: structured values are matched, not rendered text."""

import pytest

from assent.engine.policy.arguments import (
    NamedArgument,
    all_values_match,
    any_argument_matches,
    named_arguments,
    some_value_matches,
)


def test_named_arguments_are_read_from_a_specifier() -> None:
    assert named_arguments("repo=acme/*, labels=bug") == (
        NamedArgument("repo", "acme/*"),
        NamedArgument("labels", "bug"),
    )
    assert named_arguments(" a = b , c ") == (NamedArgument("a", "b , c"),)
    assert named_arguments("query=a=b, limit=3") == (
        NamedArgument("query", "a=b"),
        NamedArgument("limit", "3"),
    )


@pytest.mark.parametrize("specifier", ["acme/*", "repo=", "=x", "1a=x", "repo=acme, =x, y", ""])
def test_a_specifier_that_names_nothing_is_no_list_of_arguments(specifier: str) -> None:
    found = named_arguments(specifier)

    assert found is None or all(argument.pattern for argument in found)


@pytest.mark.parametrize(
    ("rule", "args", "expected"),
    [
        ("repo=acme/*", {"repo": "acme/site"}, True),
        ("repo=acme/*", {"repo": "other/site"}, False),
        ("repo=acme/*", {}, False),
        ("repo=acme/*", {"repo": None}, False),
        ("repo=acme/*, n=1", {"repo": "acme/site", "n": 1}, True),
        ("repo=acme/*, n=1", {"repo": "acme/site", "n": 2}, False),
        ("repo=acme/*, n=1", {"repo": "acme/site"}, False),
        ("labels=bug", {"labels": ["ui", "bug"]}, True),
        ("labels=bug", {"labels": [["bug"]]}, True),
        ("labels=bug", {"labels": {"first": "bug"}}, True),
        ("labels=bug", {"labels": []}, False),
        ("on=true", {"on": True}, True),
        ("on=1", {"on": True}, False),
        ("n=1", {"n": 1.0}, False),
        ("n=1.0", {"n": 1.0}, True),
        ('box={"a": 1}', {"box": {"a": 1}}, True),
        ("n=*", {"n": 0}, True),
    ],
)
@pytest.mark.proves("T-35", "R003-25")
def test_a_deny_hits_when_each_named_argument_has_a_value_that_matches(
    rule: str, args: dict[str, object], expected: bool
) -> None:
    named = named_arguments(rule)

    assert named is not None
    assert some_value_matches(named, args) is expected


@pytest.mark.parametrize(
    ("rule", "args", "expected"),
    [
        ("repo=acme/*", {"repo": "acme/site"}, True),
        ("repo=acme/*", {"repo": "acme/site and more"}, False),
        ("repo=acme/* *", {"repo": "acme/site and more"}, True),
        ("to=*@example.org", {"to": "bob@rival.example\n@example.org"}, False),
        ("to=*@example.org", {"to": "bob@rival.example\t@example.org"}, False),
        ("body=*", {"body": "two\nlines"}, True),
        ("body=two\nlines", {"body": "two\nlines"}, True),
        ("body=two\nlines", {"body": "two lines"}, False),
        ("repo=acme/*", {}, False),
        ("repo=acme/*", {"repo": None}, False),
        ("repo=*", {"repo": {"a": 1}}, False),
        ("repo=*", {"repo": [{"a": 1}]}, False),
        ("repo=*", {"repo": [["a"]]}, False),
        ("repo=*", {"repo": ["a", None]}, False),
        ("repo=*", {"repo": []}, False),
        ("labels=b*", {"labels": ["bug", "blue"]}, True),
        ("labels=b*", {"labels": ["bug", "ui"]}, False),
        ("labels=b*", {"labels": ("bug",)}, True),
        ("n=7", {"n": 7}, True),
        ("n=7", {"n": "7"}, True),
    ],
)
@pytest.mark.proves("T-35", "R003-25")
def test_an_allow_covers_when_each_named_argument_matches_with_all_its_values(
    rule: str, args: dict[str, object], expected: bool
) -> None:
    named = named_arguments(rule)

    assert named is not None
    assert all_values_match(named, args) is expected


def test_a_deny_without_names_hits_any_value() -> None:
    assert any_argument_matches("*@rival.example", {"to": ["ana@home.example", "bob@rival.example"]})
    assert not any_argument_matches("*@rival.example", {"to": "ana@home.example", "n": 1})
