"""The policies and calls that the rows decide; every call is new, so that no cache contains it."""

from collections.abc import Callable, Iterable
from itertools import count

from assent.engine.base.facts import Facts, Place
from assent.engine.base.tool import Call, Dialect, Effect, Tool
from assent.engine.decide import decide
from assent.engine.policy.rule import parse_rule
from assent.engine.policy.rule_set import RuleSet
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.verdict import Verdict

PLACE = Place(roots=("/project",), cwd="/project", home="/home/ana")
NO_FACTS = Facts(place=PLACE)
TOOLS = {
    "Bash": Tool(name="Bash", effect=Effect.EXECUTE, dialect=Dialect.SHELL),
    "Read": Tool(name="Read", effect=Effect.READ, dialect=Dialect.PATH),
    "Edit": Tool(name="Edit", effect=Effect.EDIT, dialect=Dialect.PATH),
}
CALLS = 200
"""How many calls make a round."""

Cases = list[tuple[Call, Verdict]]

_numbers = count()


def new_word() -> str:
    """A new unique word."""
    return f"w{next(_numbers):08d}"


def program(number: int) -> str:
    """The name of a program, always of the same length."""
    return f"prog{number:06d}"


def bash(command: str) -> Call:
    return Call(tool="Bash", args={"command": command})


def is_denied(number: int) -> bool:
    """One rule in ten is a deny rule."""
    return number % 10 == 0


def snapshot(rules: RuleSet) -> Snapshot:
    return Snapshot(tools=TOOLS, rules=rules)


def rule_set(texts: Iterable[str]) -> RuleSet:
    """Rules by number, one in ten in the deny list."""
    rules = [parse_rule(text) for text in texts]
    denied = [rule for number, rule in enumerate(rules) if is_denied(number)]
    allowed = [rule for number, rule in enumerate(rules) if not is_denied(number)]
    return RuleSet(deny=denied, ask=[], allow=allowed)


def program_rules(many: int) -> list[str]:
    """As many rules as programs: `prog<i> sub *`."""
    return [f"Bash({program(number)} sub *)" for number in range(many)]


def program_cases(many: int) -> Cases:
    """Simple commands that match rules from all over the set; one in four matches none."""
    return [_program_case(turn, many) for turn in range(CALLS)]


def rule_number(turn: int, many: int) -> int:
    """A rule number for each turn, spread over the set and the same in every run."""
    return turn * 7919 % many


def verdict_of(number: int) -> Verdict:
    """The verdict of a call that matches only this rule."""
    return Verdict.DENY if is_denied(number) else Verdict.RUN


def decide_with(policy: Snapshot, facts: Facts = NO_FACTS) -> Callable[[Call], Verdict]:
    """A function that decides a call under a policy."""
    return lambda call: decide(call, policy, facts).verdict


def _program_case(turn: int, many: int) -> tuple[Call, Verdict]:
    if turn % 4 == 3:
        return bash(f"other{turn:05d} sub {new_word()}"), Verdict.ASK
    number = rule_number(turn, many)
    return bash(f"{program(number)} sub {new_word()}"), verdict_of(number)
