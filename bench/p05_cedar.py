"""P5: Cedar with one policy set per agent, and Assent, on a thousand policies of twenty agents."""

from collections.abc import Callable, Iterator
from functools import partial

import casbin  # type: ignore[import-untyped]
import cedarpy

from assent.engine.base.tool import Call
from assent.engine.decide import decide
from assent.engine.policy.verdict import Verdict
from bench.harness import MICRO, Contender, Effort, Result, at_least, best_rounds
from bench.workload import CALLS, NO_FACTS, is_denied, new_word, program, rule_number, rule_set, snapshot

POLICIES, AGENTS = 1_000, 20
SLICE = POLICIES // AGENTS
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

Question = tuple[int, str]
"""An agent's number and the command it wants to run."""
Engine = Callable[[Question], bool]
"""Whether it may, without asking anybody."""


def measure(effort: Effort) -> Iterator[Result]:
    engines = {_assent(): CALLS, _cedar_sliced(): CALLS, _cedar_whole(): CALLS // 4, _casbin(): CALLS // 10}
    racers = [Contender(engine, partial(_cases, calls)) for engine, calls in engines.items()]
    ours, sliced, whole, scanning = best_rounds(*racers, rounds=effort.rounds)
    for against, peer, goal in (
        ("cedarpy, a set per agent", sliced, at_least(5)),
        ("cedarpy, one set", whole, None),
        ("casbin", scanning, None),
    ):
        yield Result(
            row="P5",
            what=f"{POLICIES:,} policies, {AGENTS} agents; only ours parses",
            ours=ours * MICRO,
            peer=peer * MICRO,
            against=against,
            ratio=peer / ours,
            goal=goal,
        )


def _cases(calls: int) -> list[tuple[Question, bool]]:
    return [_case(turn) for turn in range(calls)]


def _case(turn: int) -> tuple[Question, bool]:
    """A command that matches one policy of its agent; one in four matches none."""
    number = rule_number(turn, POLICIES)
    name = f"other{turn:05d}" if turn % 4 == 3 else program(number)
    allowed = turn % 4 != 3 and not is_denied(number)
    return (number // SLICE, f"{name} sub {new_word()}"), allowed


def _assent() -> Engine:
    numbers = [range(agent * SLICE, (agent + 1) * SLICE) for agent in range(AGENTS)]
    policies = [snapshot(rule_set(f"Bash({program(number)} sub *)" for number in own)) for own in numbers]

    def allowed(question: Question) -> bool:
        agent, command = question
        call = Call(tool="Bash", args={"command": command}, agent=f"a{agent}")
        return decide(call, policies[agent], NO_FACTS).verdict is Verdict.RUN

    return allowed


def _cedar_sliced() -> Engine:
    numbers = [range(agent * SLICE, (agent + 1) * SLICE) for agent in range(AGENTS)]
    sets = [cedarpy.PolicySet.from_str("\n".join(map(_cedar_policy, own))) for own in numbers]
    entities = cedarpy.Entities.from_json_str("[]")
    return lambda asked: cedarpy.is_authorized(_cedar_request(asked), sets[asked[0]], entities).allowed


def _cedar_whole() -> Engine:
    policies = cedarpy.PolicySet.from_str("\n".join(map(_cedar_policy, range(POLICIES))))
    entities = cedarpy.Entities.from_json_str("[]")
    return lambda asked: cedarpy.is_authorized(_cedar_request(asked), policies, entities).allowed


def _cedar_policy(number: int) -> str:
    effect = "forbid" if is_denied(number) else "permit"
    who = f'principal == Agent::"a{number // SLICE}", action == Action::"call", resource == Tool::"Bash"'
    return f'{effect} ({who}) when {{ context.command like "{program(number)} sub *" }};'


def _cedar_request(question: Question) -> dict[str, object]:
    agent, command = question
    return {
        "principal": f'Agent::"a{agent}"',
        "action": 'Action::"call"',
        "resource": 'Tool::"Bash"',
        "context": {"command": command},
    }


def _casbin() -> Engine:
    enforcer = casbin.Enforcer(casbin.Enforcer.new_model(text=CASBIN_MODEL))
    enforcer.add_policies([_casbin_policy(number) for number in range(POLICIES)])
    return lambda asked: bool(enforcer.enforce(f"a{asked[0]}", "Bash", asked[1]))


def _casbin_policy(number: int) -> list[str]:
    effect = "deny" if is_denied(number) else "allow"
    return [f"a{number // SLICE}", "Bash", f"{program(number)} sub *", effect]
