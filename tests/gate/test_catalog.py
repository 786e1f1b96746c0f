"""Tests of the catalog: which declaration counts, who is offered a tool, and which changes ask again."""

from dataclasses import replace
from itertools import permutations, product

import pytest

from assent.engine.base.tool import Dialect, Effect, Tool
from assent.errors import InputError
from assent.gate.catalog import (
    Catalog,
    DeclaredTool,
    KnownDefinitions,
    PageTool,
    PageTools,
    Pin,
    TrustLevel,
    is_declared,
    unknown_tool_message,
    unknown_tool_warnings,
)
from assent.gate.ids import definition_digest

SEND = Tool(name="mail.send", description="Sends a mail.", parameters={"type": "object"}, origin="shop")
ACCEPTED_PINS = {("shop", "mail.send"): definition_digest(SEND)}


def sample_catalog(*declared: DeclaredTool) -> Catalog:
    found = Catalog()
    for one in declared:
        found.add(one)
    return found


def sample_declaration(trust: TrustLevel, agent: str = "", effect: Effect = Effect.EXTERNAL) -> DeclaredTool:
    return DeclaredTool(
        tool=replace(SEND, origin=f"{trust}-{agent}", effect=effect), trust=trust, agent=agent
    )


# ---- which declaration counts ------------------------------------------------------------------


@pytest.mark.proves("T-6", "T-7")
@pytest.mark.parametrize("order", list(permutations(TrustLevel)))
def test_the_most_trusted_declaration_counts_in_any_order(order: tuple[TrustLevel, ...]) -> None:
    found = sample_catalog(*map(sample_declaration, order)).tools_by_name("clerk")

    assert found["mail.send"].trust is TrustLevel.SERVER


def test_a_host_can_replace_its_own_declaration() -> None:
    again = replace(SEND, description="Sends a letter.")

    found = sample_catalog(
        DeclaredTool(tool=SEND, trust=TrustLevel.CLIENT), DeclaredTool(tool=again, trust=TrustLevel.CLIENT)
    ).tools_by_name("clerk")

    assert found["mail.send"].tool == again


@pytest.mark.proves("T-36")
@pytest.mark.parametrize("name", ["", "mail send", "mаil.send", "x" * 129, "a\nb"])
def test_an_invalid_tool_name_is_refused(name: str) -> None:
    with pytest.raises(InputError):
        sample_catalog(DeclaredTool(tool=replace(SEND, name=name)))


# ---- who is offered it --------------------------------------------------------------------------


def test_a_tool_is_offered_to_its_agent_or_to_all() -> None:
    found = sample_catalog(
        DeclaredTool(tool=SEND), DeclaredTool(tool=replace(SEND, name="cook.bake"), agent="cook")
    )

    assert found.offered_names("clerk") == {"mail.send"}
    assert found.offered_names("cook") == {"mail.send", "cook.bake"}
    assert found.tools_by_name("clerk").keys() == {"mail.send", "cook.bake"}


def test_an_agents_own_declaration_precedes_one_for_all_agents_with_the_same_trust() -> None:
    found = sample_catalog(
        sample_declaration(TrustLevel.SERVER),
        sample_declaration(TrustLevel.SERVER, "clerk"),
        sample_declaration(TrustLevel.SERVER, "cook"),
    )

    assert found.tools_by_name("clerk")["mail.send"].agent == "clerk"
    assert found.tools_by_name("cook")["mail.send"].agent == "cook"
    assert found.tools_by_name("waiter")["mail.send"].agent == ""


@pytest.mark.proves("T-6", "T-7")
@pytest.mark.parametrize("trust", [TrustLevel.TRUSTED, TrustLevel.CLIENT])
@pytest.mark.parametrize("backwards", [False, True])
def test_a_declaration_for_one_agent_does_not_replace_a_more_trusted_one_for_all(
    trust: TrustLevel, backwards: bool
) -> None:
    both = [
        sample_declaration(TrustLevel.SERVER, effect=Effect.DESTRUCTIVE),
        sample_declaration(trust, "clerk", Effect.READ),
    ]

    found = sample_catalog(*(reversed(both) if backwards else both))

    assert found.tools_by_name("clerk")["mail.send"].trust is TrustLevel.SERVER
    assert found.tools_for({}, "clerk")["mail.send"].effect is Effect.DESTRUCTIVE


# ---- what policy says of it ---------------------------------------------------------------------


@pytest.mark.proves("T-6")
@pytest.mark.parametrize(("own", "policy"), list(product(Effect, Effect)))
def test_policy_can_raise_but_not_lower_the_effect_of_a_tool(own: Effect, policy: Effect) -> None:
    found = sample_catalog(DeclaredTool(tool=replace(SEND, effect=own)))

    under = found.tools_for({"mail.send": replace(SEND, effect=policy)}, "clerk")["mail.send"]

    assert list(Effect).index(under.effect) == max(list(Effect).index(own), list(Effect).index(policy))


@pytest.mark.proves("T-6")
@pytest.mark.parametrize("trust", [TrustLevel.TRUSTED, TrustLevel.CLIENT])
def test_other_programs_cannot_redefine_a_tool_of_the_policy(trust: TrustLevel) -> None:
    ours = replace(SEND, effect=Effect.DESTRUCTIVE, dialect=Dialect.SHELL, origin="server")
    found = sample_catalog(DeclaredTool(tool=replace(SEND, effect=Effect.READ), trust=trust))

    assert found.tools_for({"mail.send": ours}, "clerk") == {"mail.send": ours}


@pytest.mark.proves("T-6")
@pytest.mark.parametrize("policy", list(Effect))
@pytest.mark.parametrize("is_reviewed", [False, True])
def test_policy_about_a_name_loosens_no_tool_of_a_page_that_nobody_reviewed(
    policy: Effect, is_reviewed: bool
) -> None:
    tool = Tool(name="crm.get", effect=Effect.READ, origin="page https://crm.example", description="Reads.")
    declared = DeclaredTool(tool=tool, trust=TrustLevel.CLIENT, provider="page")
    found = sample_catalog()
    found.set_page_tools("c1", PageTools([PageTool(declared=declared, page="p1", pin=declared.pin)]))
    named = Tool(name="crm.get", effect=policy, dialect=Dialect.PATH, template="{path}")
    digests = {(tool.origin, tool.name): declared.pin.digest}
    known = KnownDefinitions(digests, digests if is_reviewed else {})

    under = found.tools_for({"crm.get": named}, "clerk", "c1", known)["crm.get"]

    is_strict = policy in (Effect.EXTERNAL, Effect.DESTRUCTIVE)
    assert under.effect is (policy if is_reviewed or is_strict else Effect.EXTERNAL)
    assert under.is_unreviewed is not is_reviewed
    assert (under.dialect, under.template, under.description) == (Dialect.PATH, "{path}", "Reads.")


def test_tools_that_only_the_policy_defines_are_included() -> None:
    known = replace(SEND, name="files.read")

    assert sample_catalog(DeclaredTool(tool=SEND)).tools_for({"files.read": known}, "clerk") == {
        "mail.send": SEND,
        "files.read": known,
    }


# ---- what changed -------------------------------------------------------------------------------


@pytest.mark.parametrize("trust", [TrustLevel.TRUSTED, TrustLevel.CLIENT])
def test_tools_of_other_programs_are_pinned(trust: TrustLevel) -> None:
    found = sample_catalog(
        DeclaredTool(tool=SEND, trust=trust), DeclaredTool(tool=replace(SEND, name="mail.read"))
    )

    assert found.pins() == found.pins("clerk") == (Pin("shop", "mail.send", definition_digest(SEND)),)


def test_a_definition_without_a_pin_counts_as_unchanged() -> None:
    assert (
        sample_catalog(DeclaredTool(tool=SEND, trust=TrustLevel.CLIENT)).changed_tools({}, "clerk")
        == frozenset()
    )
    assert (
        sample_catalog(DeclaredTool(tool=SEND, trust=TrustLevel.CLIENT)).changed_tools(ACCEPTED_PINS, "clerk")
        == frozenset()
    )


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
def test_a_change_of_one_byte_makes_the_tool_ask_again(changed: Tool) -> None:
    found = sample_catalog(DeclaredTool(tool=changed, trust=TrustLevel.TRUSTED))

    assert found.changed_tools(ACCEPTED_PINS, "clerk") == {"mail.send"}


@pytest.mark.proves("T-7")
def test_tools_with_the_same_name_and_another_origin_have_separate_pins() -> None:
    found = sample_catalog(DeclaredTool(tool=replace(SEND, origin="evil"), trust=TrustLevel.TRUSTED))

    assert found.pins()[0] not in {Pin(*key, digest) for key, digest in ACCEPTED_PINS.items()}
    assert definition_digest(replace(SEND, origin="evil")) != definition_digest(SEND)


def test_tools_of_this_program_may_change_without_asking() -> None:
    assert (
        sample_catalog(DeclaredTool(tool=SEND)).changed_tools({("shop", "mail.send"): "0" * 64}, "clerk")
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
def test_a_tool_is_known_by_its_exact_name_or_a_matching_pattern(tool: str, declared: bool) -> None:
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
def test_the_warning_suggests_a_similar_name_but_no_generated_mcp_name(tool: str, said: str) -> None:
    assert unknown_tool_message(tool, KNOWN) == said


def test_each_unknown_tool_is_reported_once_and_invalid_rules_are_skipped() -> None:
    texts = ["Bsh(ls *)", "Bash(ls)", "Bsh(ls *)", "Bash(", "mcp__x__y"]

    assert unknown_tool_warnings(texts, KNOWN) == [
        "rule `Bsh(ls *)`: no tool is called `Bsh`; did you mean `Bash`?"
    ]
