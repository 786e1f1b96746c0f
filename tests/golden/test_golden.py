"""Golden tables: for each preset, the decisions about typical calls.

A file names its preset and perhaps a few tools of its own. A `[[case]]` is one call; a `[[table]]` is a row of calls
and, for each mode, their verdicts in the same order. Fields a case may have, all but the first three optional:

    name, call, verdict     the call as people write it, or `tool` and `args`; run, ask, deny or absent
    stage                   the stage that decides
    mode                    one that the preset offers; `none` for an agent without one; its first one when left out
    deny, ask, allow        rules besides the preset's own
    grants                  `{ pattern, conversation?, agent?, user? }`; the caller is ana's agent clerk in c1
    tier, by_name           what an administrator said of the tool, or what its name suggests
    fallback, role          as in the preset's file
    parent                  the mode of the agent that started this one
    human, authorized       false when nobody can be asked, or the person may not use the tool
    changed                 the tool's definition changed
    trusted, links, cwd     the repository; links of the imagined disk; where the call happens in /project
    options                 switches of the policy
    always                  whether "always" is offered
    proves, supports        the requirements that it shows, whole or in part; of a table also for each mode separately
    settles                 the question between the seeds that it answers
"""

import posixpath
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assent.config.preset import Preset, load_preset
from assent.config.written_calls import parse_call
from assent.engine.base.facts import CallDirectories, Facts
from assent.engine.base.tool import Call, Tool, parse_dialect, parse_effect
from assent.engine.decide import decide, paths_to_resolve
from assent.engine.policy.modes import Mode, parse_mode
from assent.engine.policy.rule import parse_rule
from assent.engine.policy.rule_set import RuleSet
from assent.engine.policy.snapshot import (
    GrantedRule,
    GrantSet,
    PolicyOptions,
    Snapshot,
    Tier,
    TierSetting,
    default_tier,
)
from assent.engine.policy.verdict import Decision, Verdict

HERE = Path(__file__).parent
PRESETS = ("assent", "chat", "propose", "fleet", "workbench", "tiers")
WHO = {"user": "ana", "agent": "clerk", "conversation": "c1"}
FIELDS = frozenset(
    """name call tool args verdict stage mode deny ask allow grants tier by_name fallback role parent human authorized
    changed trusted links cwd options always proves supports settles preset tools""".split()
)

MARKS = ("proves", "supports")

Case = dict[str, Any]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", list(case_parameters()))


def case_parameters() -> Iterator[Any]:
    """All cases of all files, each as a test parameter with the requirements that it proves."""
    for preset in PRESETS:
        file = tomllib.loads((HERE / f"{preset}.toml").read_text("utf-8"))
        tools = {name: _build_tool(name, entry) for name, entry in file.get("tools", {}).items()}
        for case in (*file.get("case", ()), *_cell_cases(file.get("table", ()))):
            marks = [getattr(pytest.mark, name)(*case.get(name, ())) for name in MARKS]
            told = " ".join([preset, *case.get("settles", "").split(), case["name"]])
            yield pytest.param(case | {"preset": preset, "tools": tools}, marks=marks, id=told)


def test_a_case_is_decided_as_written(case: Case) -> None:
    decision = decide_case(case)

    assert decision.verdict.word == case["verdict"], decision.because
    assert decision.stage == case.get("stage", decision.stage), decision.because
    assert decision.always_offered is case.get("always", decision.always_offered)


def test_every_field_of_a_case_is_known() -> None:
    strange = {case["name"]: set(case) - FIELDS for case in _all_cases() if set(case) - FIELDS}

    assert strange == {}


@pytest.mark.parametrize("preset", PRESETS)
def test_each_preset_has_cases(preset: str) -> None:
    names = [case["name"] for case in _all_cases() if case["preset"] == preset]

    assert len(names) >= 40
    assert len(names) == len(set(names))


def decide_case(case: Case) -> Decision:
    """Decide a case under its preset."""
    preset = load_preset(case["preset"])
    call, tools = _build_call(case, {**preset.tools, **case["tools"]})
    snapshot = _build_snapshot(case, call, tools, preset)
    directories = CallDirectories(
        roots=("/project",), cwd=posixpath.join("/project", case.get("cwd", "")), home="/home/ana"
    )
    real = {
        path: (_follow_links(path, case.get("links", {})),)
        for path in paths_to_resolve(call, snapshot, directories)
    }
    return decide(
        call,
        snapshot,
        Facts(directories=directories, real=real, trusted_repository=case.get("trusted", True)),
    )


def _all_cases() -> list[Case]:
    return [parameter.values[0] for parameter in case_parameters()]


def _cell_cases(tables: list[Case]) -> Iterator[Case]:
    """Each cell of a table as a separate case."""
    for table in tables:
        shared = {key: value for key, value in table.items() if key in FIELDS}
        rows = {key: value for key, value in table.items() if key not in FIELDS and key != "calls"}
        for mode, verdicts in rows.items():
            for call, verdict in zip(table["calls"], verdicts.split(), strict=True):
                marks = {kind: _marks_of_mode(shared[kind], mode) for kind in MARKS if kind in shared}
                yield (
                    shared
                    | marks
                    | {
                        "name": f"{table['name']}: {call}, {mode}",
                        "call": call,
                        "mode": mode,
                        "verdict": verdict,
                    }
                )


def _marks_of_mode(given: list[str] | dict[str, list[str]], mode: str) -> list[str]:
    """The requirements that the cells of one mode show; a list is for the cells of all modes."""
    return given if isinstance(given, list) else given[mode]


def _build_tool(name: str, entry: Case) -> Tool:
    return Tool(
        name=name,
        effect=parse_effect(entry.get("effect")),
        dialect=parse_dialect(entry.get("dialect", "text")),
        template=entry.get("template"),
    )


def _build_call(case: Case, tools: dict[str, Tool]) -> tuple[Call, dict[str, Tool]]:
    if "call" not in case:
        return Call(tool=case["tool"], args=case.get("args", {}), **WHO), tools
    call, meant = parse_call(case["call"], tools)
    return Call(tool=call.tool, args=call.args, **WHO), dict(meant)


def _build_snapshot(case: Case, call: Call, tools: dict[str, Tool], preset: Preset) -> Snapshot:
    allow = preset.allow_rule_texts(case.get("role", ""), case.get("allow", ()))
    snapshot = Snapshot(
        tools=tools,
        rules=RuleSet(
            *(
                [parse_rule(text) for text in texts]
                for texts in (case.get("deny", ()), case.get("ask", ()), allow)
            )
        ),
        tiers=_tier_settings(case, call),
        grants=GrantSet(_build_grant(entry) for entry in case.get("grants", ())),
        mode=_case_mode(case, preset),
        fallback=Verdict[case["fallback"].upper()] if "fallback" in case else preset.fallback,
        attended=case.get("human", True),
        unauthorized_tools=frozenset() if case.get("authorized", True) else frozenset({call.tool}),
        changed_tools=frozenset({call.tool}) if case.get("changed") else frozenset(),
        options=PolicyOptions(**case.get("options", {})),
    )
    if "parent" not in case:
        return snapshot
    parent = Snapshot(tools=tools, mode=None if case["parent"] == "none" else parse_mode(case["parent"]))
    return replace(snapshot, parent=parent)


def _case_mode(case: Case, preset: Preset) -> Mode | None:
    """The mode of a case, which must be a mode of the preset."""
    word = case.get("mode")
    if word is None:
        return preset.mode
    if word == "none":
        return None
    assert parse_mode(word) in map(parse_mode, preset.modes), f"{preset.name} does not offer {word}"
    return parse_mode(word)


def _tier_settings(case: Case, call: Call) -> dict[tuple[str, str], TierSetting]:
    if case.get("by_name"):
        return {("clerk", call.tool): TierSetting(default_tier(call.tool), explicit=False)}
    return {("clerk", call.tool): TierSetting(Tier(case["tier"]))} if "tier" in case else {}


def _build_grant(entry: Case) -> GrantedRule:
    return GrantedRule(
        rule=parse_rule(entry["pattern"]), **{key: value for key, value in entry.items() if key != "pattern"}
    )


def _follow_links(path: str, links: dict[str, str]) -> str:
    path = posixpath.normpath(path)
    for link, target in links.items():
        if path == link or path.startswith(link + "/"):
            return posixpath.normpath(target + path[len(link) :])
    return path
