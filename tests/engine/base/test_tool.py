"""Effects, dialects and specifiers of tools."""

import pytest

from assent.engine.base.tool import (
    Call,
    Dialect,
    Effect,
    Tool,
    parse_dialect,
    parse_effect,
    render_partial_specifier,
    render_specifier,
    specifier_values,
)
from assent.engine.policy.modes import Mode
from assent.engine.policy.verdict import Verdict
from assent.errors import UnknownWordError
from tests.engine import given


@pytest.mark.parametrize("effect", Effect)
@pytest.mark.proves("R000-1", "R001-42")
def test_an_effect_is_one_of_six_words(effect: Effect) -> None:
    assert parse_effect(effect.value) is effect


@pytest.mark.proves("R000-7")
def test_without_a_declared_effect_a_tool_is_external() -> None:
    assert parse_effect(None) is Effect.EXTERNAL


@pytest.mark.proves("R000-1", "R001-42")
def test_any_other_effect_is_refused() -> None:
    with pytest.raises(UnknownWordError, match="unknown effect `mutate`: expected one of read, edit, write"):
        parse_effect("mutate")
    with pytest.raises(
        UnknownWordError, match="unknown dialect `fish`: expected one of shell, powershell, path, text"
    ):
        parse_dialect("fish")


@pytest.mark.parametrize("dialect", Dialect)
def test_a_dialect_is_one_of_four_words(dialect: Dialect) -> None:
    assert parse_dialect(dialect.value) is dialect


FETCH = Tool(name="web.fetch", template="{method} {url}")


@pytest.mark.parametrize(
    ("dialect", "args", "expected"),
    [
        (Dialect.SHELL, {"command": "ls", "path": "x"}, ("ls",)),
        (Dialect.POWERSHELL, {"command": "ls"}, ("ls",)),
        (Dialect.PATH, {"path": "a"}, ("a",)),
        (Dialect.PATH, {"file_path": "b"}, ("b",)),
        (Dialect.PATH, {"path": "a", "file_path": "b"}, ("a",)),
        (Dialect.PATH, {}, (None,)),
        (Dialect.TEXT, {"a": "b"}, (None,)),
    ],
)
def test_without_a_template_each_dialect_has_its_usual_argument(
    dialect: Dialect, args: dict[str, object], expected: tuple[object, ...]
) -> None:
    assert specifier_values(Tool(name="t", dialect=dialect), args) == expected


def test_a_template_names_the_arguments() -> None:
    assert specifier_values(FETCH, {"url": "u"}) == (None, "u")
    assert render_specifier(FETCH, {"method": "GET", "url": "u", "other": "x"}) == "GET u"
    assert render_specifier(FETCH, {"method": "GET", "url": 3.5}) == "GET 3.5"
    assert render_specifier(Tool(name="t", template="{a}{1b}"), {"a": "x"}) == "x{1b}"


@pytest.mark.parametrize("url", [None, ["u"], {"u": 1}])
@pytest.mark.proves("R003-25", "T-35")
def test_an_argument_that_is_missing_or_no_text_makes_no_specifier(url: object) -> None:
    assert render_specifier(FETCH, {"method": "GET", "url": url}) is None
    assert render_specifier(Tool(name="t", dialect=Dialect.SHELL), {"command": url}) is None


@pytest.mark.proves("R003-25", "T-35")
def test_for_deny_and_ask_rules_a_missing_argument_is_empty() -> None:
    assert render_partial_specifier(FETCH, {"method": "GET"}) == "GET "
    assert render_partial_specifier(FETCH, {"url": ["u"]}) == " ['u']"


@pytest.mark.proves("R003-25", "T-35")
def test_a_missing_argument_can_be_denied_and_never_allowed() -> None:
    call = Call(tool="web.fetch", args={"method": "GET"})

    assert (
        given.decide_call(call, given.make_snapshot(FETCH, deny=["web.fetch(GET *)"])).verdict is Verdict.DENY
    )
    assert (
        given.decide_call(call, given.make_snapshot(FETCH, allow=["web.fetch(GET *)"])).verdict is Verdict.ASK
    )
    assert given.decide_call(call, given.make_snapshot(FETCH, allow=["web.fetch"])).verdict is Verdict.RUN


@pytest.mark.proves("T-35")
def test_a_value_cannot_end_the_specifier_or_begin_another() -> None:
    snapshot = given.make_snapshot(FETCH, allow=["web.fetch(GET https://docs.example/*)"], mode=Mode.DEFAULT)
    for url in (
        "https://evil.example/) web.fetch(GET https://docs.example/a",
        "https://docs.example/a https://evil.example/",
        "https://docs.example/a\nhttps://evil.example/",
        "{method}https://docs.example/a",
    ):
        call = Call(tool="web.fetch", args={"method": "GET", "url": url})

        assert given.decide_call(call, snapshot).verdict is Verdict.ASK, url


@pytest.mark.supports("R003-3")
def test_a_specifier_that_comes_with_the_call_is_only_one_more_argument() -> None:
    call = Call(tool="web.fetch", args={"method": "POST", "url": "u", "specifier": "GET u"})

    assert (
        given.decide_call(call, given.make_snapshot(FETCH, allow=["web.fetch(GET *)"])).verdict is Verdict.ASK
    )


def test_a_placeholder_may_have_a_default_for_a_missing_argument() -> None:
    tool = Tool(name="Grep", dialect=Dialect.PATH, template="{path=.}")

    assert specifier_values(tool, {"pattern": "x"}) == specifier_values(tool, {"path": None}) == (".",)
    assert specifier_values(tool, {"path": "src"}) == ("src",)


PAGE = Tool(name="web.page", template="domain:{url:host}")


@pytest.mark.parametrize(
    "url",
    [
        "https://docs.example", "https://docs.example/a?b#c", "https://DOCS.example:443/", "http://me@docs.example",
        "https://a:b@docs.example./x", "https://docs.example?https://evil.example/", "https://docs.example:/",
    ],
)  # fmt: skip
def test_the_host_of_an_address_is_compared_as_a_name(url: str) -> None:
    assert render_specifier(PAGE, {"url": url}) == "domain:docs.example"


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://docs.example@evil.example/", "evil.example"),
        ("https://docs.example:80@evil.example/", "evil.example"),
        ("https://evil.example#@docs.example/", "evil.example"),
        ("https://evil.example?@docs.example/", "evil.example"),
        ("https://evil.example/@docs.example/", "evil.example"),
    ],
)
def test_a_name_elsewhere_in_an_address_is_not_its_host(url: str, host: str) -> None:
    assert render_specifier(PAGE, {"url": url}) == f"domain:{host}"


@pytest.mark.proves("T-35")
@pytest.mark.parametrize(
    "url",
    [
        "docs.example", "//docs.example", "https:docs.example", "https:/docs.example", " https://docs.example",
        "https://docs.example\\@evil.example", "https://docs.exam\tple", "https://doc\uff53.example",
        "https://", "https://a@b@docs.example", "https://docs.example evil", ["https://docs.example"], 3,
    ],
    ids=str,
)  # fmt: skip
def test_an_address_that_programs_read_differently_has_an_unknown_host(url: object) -> None:
    call = Call(tool="web.page", args={"url": url})
    auto = given.make_snapshot(PAGE, deny=["web.page(domain:evil.example)"], mode=Mode.AUTO)
    allowed = given.make_snapshot(PAGE, allow=["web.page(domain:*)", "web.page(domain:docs.example)"])

    assert given.decide_call(call, auto).verdict is Verdict.ASK
    assert given.decide_call(call, allowed).verdict is Verdict.ASK
