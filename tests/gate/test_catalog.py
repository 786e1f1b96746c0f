"""The catalog: whose word counts for a tool, who is offered it, and what asks again when it changes."""

from dataclasses import replace
from itertools import permutations, product

import pytest

from assent.engine.base.tool import Dialect, Effect, Tool
from assent.errors import InputError
from assent.gate.catalog import (
    Catalog,
    DeclaredTool,
    Pin,
    Trust,
    is_declared,
    unknown_tool_message,
    unknown_tool_warnings,
)
from assent.gate.ids import definition_digest

SEND = Tool(name="mail.send", description="Sends a mail.", parameters={"type": "object"}, origin="shop")
HELD = {("shop", "mail.send"): definition_digest(SEND)}


def catalog(*declared: DeclaredTool) -> Catalog:
    found = Catalog()
    for one in declared:
        found.add(one)
    return found


def declared(trust: Trust, agent: str = "", effect: Effect = Effect.EXTERNAL) -> DeclaredTool:
    return DeclaredTool(
        tool=replace(SEND, origin=f"{trust}-{agent}", effect=effect), trust=trust, agent=agent
    )


# ---- whose word counts --------------------------------------------------------------------------


@pytest.mark.proves("T-6", "T-7")
@pytest.mark.parametrize("order", list(permutations(Trust)))
def test_the_most_trusted_word_counts_in_whatever_order_they_come(order: tuple[Trust, ...]) -> None:
    found = catalog(*map(declared, order)).known("clerk")

    assert found["mail.send"].trust is Trust.SERVER


def test_a_host_that_declares_a_tool_again_replaces_its_own() -> None:
    again = replace(SEND, description="Sends a letter.")

    found = catalog(
        DeclaredTool(tool=SEND, trust=Trust.CLIENT), DeclaredTool(tool=again, trust=Trust.CLIENT)
    ).known("clerk")

    assert found["mail.send"].tool == again


@pytest.mark.proves("T-36")
@pytest.mark.parametrize("name", ["", "mail send", "mаil.send", "x" * 129, "a\nb"])
def test_a_name_that_is_not_plain_is_not_taken_in(name: str) -> None:
    with pytest.raises(InputError):
        catalog(DeclaredTool(tool=replace(SEND, name=name)))


# ---- who is offered it --------------------------------------------------------------------------


def test_a_tool_is_offered_to_its_agent_or_to_all() -> None:
    found = catalog(DeclaredTool(tool=SEND), DeclaredTool(tool=replace(SEND, name="cook.bake"), agent="cook"))

    assert found.offered("clerk") == {"mail.send"}
    assert found.offered("cook") == {"mail.send", "cook.bake"}
    assert found.known("clerk").keys() == {"mail.send", "cook.bake"}


def test_an_agents_own_declaration_comes_before_that_for_all_where_both_are_trusted_alike() -> None:
    found = catalog(declared(Trust.SERVER), declared(Trust.SERVER, "clerk"), declared(Trust.SERVER, "cook"))

    assert found.known("clerk")["mail.send"].agent == "clerk"
    assert found.known("cook")["mail.send"].agent == "cook"
    assert found.known("waiter")["mail.send"].agent == ""


@pytest.mark.proves("T-6", "T-7")
@pytest.mark.parametrize("trust", [Trust.TRUSTED, Trust.CLIENT])
@pytest.mark.parametrize("backwards", [False, True])
def test_a_declaration_for_one_agent_does_not_shadow_a_more_trusted_one_for_all(
    trust: Trust, backwards: bool
) -> None:
    both = [declared(Trust.SERVER, effect=Effect.DESTRUCTIVE), declared(trust, "clerk", Effect.READ)]

    found = catalog(*(reversed(both) if backwards else both))

    assert found.known("clerk")["mail.send"].trust is Trust.SERVER
    assert found.tools_for({}, "clerk")["mail.send"].effect is Effect.DESTRUCTIVE


# ---- what policy says of it ---------------------------------------------------------------------


@pytest.mark.proves("T-6")
@pytest.mark.parametrize(("own", "policy"), list(product(Effect, Effect)))
def test_policy_raises_the_effect_of_our_own_tools_and_never_lowers_it(own: Effect, policy: Effect) -> None:
    found = catalog(DeclaredTool(tool=replace(SEND, effect=own)))

    under = found.tools_for({"mail.send": replace(SEND, effect=policy)}, "clerk")["mail.send"]

    assert list(Effect).index(under.effect) == max(list(Effect).index(own), list(Effect).index(policy))


@pytest.mark.proves("T-6")
@pytest.mark.parametrize("trust", [Trust.TRUSTED, Trust.CLIENT])
def test_nobody_from_outside_redefines_a_tool_that_policy_knows(trust: Trust) -> None:
    ours = replace(SEND, effect=Effect.DESTRUCTIVE, dialect=Dialect.SHELL, origin="server")
    found = catalog(DeclaredTool(tool=replace(SEND, effect=Effect.READ), trust=trust))

    assert found.tools_for({"mail.send": ours}, "clerk") == {"mail.send": ours}


def test_tools_that_only_policy_knows_are_there_too() -> None:
    known = replace(SEND, name="files.read")

    assert catalog(DeclaredTool(tool=SEND)).tools_for({"files.read": known}, "clerk") == {
        "mail.send": SEND,
        "files.read": known,
    }


# ---- what changed -------------------------------------------------------------------------------


@pytest.mark.parametrize("trust", [Trust.TRUSTED, Trust.CLIENT])
def test_what_is_not_our_own_code_is_pinned(trust: Trust) -> None:
    found = catalog(DeclaredTool(tool=SEND, trust=trust), DeclaredTool(tool=replace(SEND, name="mail.read")))

    assert found.pins() == found.pins("clerk") == (Pin("shop", "mail.send", definition_digest(SEND)),)


def test_a_definition_that_nobody_saw_before_has_not_changed() -> None:
    assert catalog(DeclaredTool(tool=SEND, trust=Trust.CLIENT)).changed_tools({}, "clerk") == frozenset()
    assert catalog(DeclaredTool(tool=SEND, trust=Trust.CLIENT)).changed_tools(HELD, "clerk") == frozenset()


@pytest.mark.proves("T-7")
@pytest.mark.parametrize(
    "changed",
    [
        replace(SEND, description="Sends a mail!"),
        replace(SEND, parameters={"type": "object", "properties": {}}),
        replace(SEND, effect=Effect.READ),
        replace(SEND, dialect=Dialect.PATH),
        replace(SEND, template="{to}"),
    ],
)
def test_one_changed_byte_asks_again(changed: Tool) -> None:
    found = catalog(DeclaredTool(tool=changed, trust=Trust.TRUSTED))

    assert found.changed_tools(HELD, "clerk") == {"mail.send"}


@pytest.mark.proves("T-7")
def test_the_same_name_of_another_origin_shares_nothing() -> None:
    found = catalog(DeclaredTool(tool=replace(SEND, origin="evil"), trust=Trust.TRUSTED))

    assert found.pins()[0] not in {Pin(*key, digest) for key, digest in HELD.items()}
    assert definition_digest(replace(SEND, origin="evil")) != definition_digest(SEND)


def test_our_own_code_may_change_with_its_program() -> None:
    assert (
        catalog(DeclaredTool(tool=SEND)).changed_tools({("shop", "mail.send"): "0" * 64}, "clerk")
        == frozenset()
    )


KNOWN = ("Bash", "Read", "mail.send", "mcp__arch__send_message")


@pytest.mark.parametrize(
    ("tool", "declared"),
    [
        ("Bash", True),
        ("bash", False),
        ("mail.*", True),
        ("mcp__x__y", True),
        ("mail.sent", False),
        ("", False),
    ],
)
def test_a_tool_is_declared_by_its_own_name(tool: str, declared: bool) -> None:
    assert is_declared(tool, KNOWN) is declared


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("Bsh", "no tool is called `Bsh`; did you mean `Bash`?"),
        ("mail.sent", "no tool is called `mail.sent`; did you mean `mail.send`?"),
        ("frobnicate", "no tool is called `frobnicate`"),
        ("arch__send_message", "no tool is called `arch__send_message`"),
    ],
)
def test_it_says_what_was_meant_and_never_a_word_of_a_preset(tool: str, said: str) -> None:
    assert unknown_tool_message(tool, KNOWN) == said


def test_each_rule_is_reported_once_and_one_that_cannot_be_read_is_not() -> None:
    texts = ["Bsh(ls *)", "Bash(ls)", "Bsh(ls *)", "Bash(", "mcp__x__y"]

    assert unknown_tool_warnings(texts, KNOWN) == [
        "rule `Bsh(ls *)`: no tool is called `Bsh`; did you mean `Bash`?"
    ]
