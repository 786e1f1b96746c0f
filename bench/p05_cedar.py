"""P5: Cedar, Casbin and Assent decide with a thousand policies for twenty agents."""

from collections.abc import Callable, Iterator
from functools import partial

import casbin  # type: ignore[import-untyped]
import cedarpy

from assent.engine.base.tool import Call
from assent.engine.decide import decide
from assent.engine.policy.verdict import Verdict
from bench.harness import MICROSECONDS, Effort, FunctionCompetitor, Result, best_times, goal_at_least
from bench.workload import (
    CALLS_PER_ROUND,
    NO_FACTS,
    is_deny_rule,
    make_rule_set,
    new_word,
    program_name,
    rule_number_for,
    snapshot_with,
)

POLICY_COUNT, AGENT_COUNT = 1_000, 20
POLICIES_PER_AGENT = POLICY_COUNT // AGENT_COUNT
CASBIN_MODEL = """
[request_definition]
r = agent, tool, command
[policy_definition]
p = agent, tool, command, eft
[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
[matchers]
m = r.agent == p.agent && r.tool == p.tool && keyMatch(r.command, p.command)
"""

AgentCommand = tuple[int, str]
"""The number of an agent, and the command that it submits."""
AllowsCommand = Callable[[AgentCommand], bool]
"""A function that returns whether an agent may run a command without asking."""


def measure(effort: Effort) -> Iterator[Result]:
    engines = {
        _assent_engine(): CALLS_PER_ROUND,
        _cedar_engine_per_agent(): CALLS_PER_ROUND,
        _cedar_engine_for_all(): CALLS_PER_ROUND // 4,
        _casbin_engine(): CALLS_PER_ROUND // 10,
    }
    racers = [FunctionCompetitor(engine, partial(_make_cases, calls)) for engine, calls in engines.items()]
    ours, sliced, whole, scanning = best_times(*racers, rounds=effort.rounds)
    for against, peer, goal in (
        ("cedarpy, a set per agent", sliced, goal_at_least(5)),
        ("cedarpy, one set", whole, None),
        ("casbin", scanning, None),
    ):
        yield Result(
            row="P5",
            what=f"{POLICY_COUNT:,} policies, {AGENT_COUNT} agents; only ours parses",
            ours=ours * MICROSECONDS,
            peer=peer * MICROSECONDS,
            against=against,
            ratio=peer / ours,
            goal=goal,
        )


def _make_cases(calls: int) -> list[tuple[AgentCommand, bool]]:
    return [_make_case(turn) for turn in range(calls)]


def _make_case(turn: int) -> tuple[AgentCommand, bool]:
    """A command that matches one policy of its agent; every fourth command matches none."""
    number = rule_number_for(turn, POLICY_COUNT)
    name = f"other{turn:05d}" if turn % 4 == 3 else program_name(number)
    allowed = turn % 4 != 3 and not is_deny_rule(number)
    return (number // POLICIES_PER_AGENT, f"{name} sub {new_word()}"), allowed


def _assent_engine() -> AllowsCommand:
    numbers = [
        range(agent * POLICIES_PER_AGENT, (agent + 1) * POLICIES_PER_AGENT) for agent in range(AGENT_COUNT)
    ]
    policies = [
        snapshot_with(make_rule_set(f"Bash({program_name(number)} sub *)" for number in own))
        for own in numbers
    ]

    def is_allowed(question: AgentCommand) -> bool:
        agent, command = question
        call = Call(tool="Bash", args={"command": command}, agent=f"a{agent}")
        return decide(call, policies[agent], NO_FACTS).verdict is Verdict.RUN

    return is_allowed


def _cedar_engine_per_agent() -> AllowsCommand:
    numbers = [
        range(agent * POLICIES_PER_AGENT, (agent + 1) * POLICIES_PER_AGENT) for agent in range(AGENT_COUNT)
    ]
    sets = [cedarpy.PolicySet.from_str("\n".join(map(_cedar_policy, own))) for own in numbers]
    entities = cedarpy.Entities.from_json_str("[]")
    return lambda asked: cedarpy.is_authorized(_cedar_request(asked), sets[asked[0]], entities).allowed


def _cedar_engine_for_all() -> AllowsCommand:
    policies = cedarpy.PolicySet.from_str("\n".join(map(_cedar_policy, range(POLICY_COUNT))))
    entities = cedarpy.Entities.from_json_str("[]")
    return lambda asked: cedarpy.is_authorized(_cedar_request(asked), policies, entities).allowed


def _cedar_policy(number: int) -> str:
    effect = "forbid" if is_deny_rule(number) else "permit"
    agent = number // POLICIES_PER_AGENT
    who = f'principal == Agent::"a{agent}", action == Action::"call", resource == Tool::"Bash"'
    return f'{effect} ({who}) when {{ context.command like "{program_name(number)} sub *" }};'


def _cedar_request(question: AgentCommand) -> dict[str, object]:
    agent, command = question
    return {
        "principal": f'Agent::"a{agent}"',
        "action": 'Action::"call"',
        "resource": 'Tool::"Bash"',
        "context": {"command": command},
    }


def _casbin_engine() -> AllowsCommand:
    enforcer = casbin.Enforcer(casbin.Enforcer.new_model(text=CASBIN_MODEL))
    enforcer.add_policies([_casbin_policy(number) for number in range(POLICY_COUNT)])
    return lambda asked: bool(enforcer.enforce(f"a{asked[0]}", "Bash", asked[1]))


def _casbin_policy(number: int) -> list[str]:
    effect = "deny" if is_deny_rule(number) else "allow"
    return [f"a{number // POLICIES_PER_AGENT}", "Bash", f"{program_name(number)} sub *", effect]
