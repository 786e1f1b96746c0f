"""The policies and calls that benchmarks decide; every call is new, so that no cache contains it."""

from collections.abc import Callable, Iterable
from itertools import count

from assent.engine.base.facts import CallDirectories, Facts
from assent.engine.base.tool import Call, Dialect, Effect, Tool
from assent.engine.decide import decide
from assent.engine.policy.rule import parse_rule
from assent.engine.policy.rule_set import RuleSet
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.verdict import Verdict

DIRECTORIES = CallDirectories(roots=("/project",), cwd="/project", home="/home/ana")
NO_FACTS = Facts(directories=DIRECTORIES)
TOOLS = {
    "Bash": Tool(name="Bash", effect=Effect.EXECUTE, dialect=Dialect.SHELL),
    "Read": Tool(name="Read", effect=Effect.READ, dialect=Dialect.PATH),
    "Edit": Tool(name="Edit", effect=Effect.EDIT, dialect=Dialect.PATH),
}
CALLS_PER_ROUND = 200
"""Number of calls in a round."""

Cases = list[tuple[Call, Verdict]]

_word_counter = count()


def new_word() -> str:
    """Make a word that was not used before."""
    return f"w{next(_word_counter):08d}"


def program_name(number: int) -> str:
    """The name of a numbered program; all names have the same length."""
    return f"prog{number:06d}"


def bash_call(command: str) -> Call:
    return Call(tool="Bash", args={"command": command})


def is_deny_rule(number: int) -> bool:
    """Whether the rule with this number is a deny rule; every tenth rule is."""
    return number % 10 == 0


def snapshot_with(rules: RuleSet) -> Snapshot:
    return Snapshot(tools=TOOLS, rules=rules)


def make_rule_set(texts: Iterable[str]) -> RuleSet:
    """Parse rules into a rule set; every tenth rule is a deny rule, the others are allow rules."""
    rules = [parse_rule(text) for text in texts]
    denied = [rule for number, rule in enumerate(rules) if is_deny_rule(number)]
    allowed = [rule for number, rule in enumerate(rules) if not is_deny_rule(number)]
    return RuleSet(deny=denied, ask=[], allow=allowed)


def program_rules(many: int) -> list[str]:
    """The texts of `many` rules, one for each program: `prog<i> sub *`."""
    return [f"Bash({program_name(number)} sub *)" for number in range(many)]


def program_cases(many: int) -> Cases:
    """Commands that match rules from the whole rule set; every fourth command matches none."""
    return [_program_case(turn, many) for turn in range(CALLS_PER_ROUND)]


def rule_number_for(turn: int, many: int) -> int:
    """A rule number for a turn: spread over all rules, and the same in every run."""
    return turn * 7919 % many


def verdict_of_rule(number: int) -> Verdict:
    """The verdict of a call that matches only the rule with this number."""
    return Verdict.DENY if is_deny_rule(number) else Verdict.RUN


def make_decide(policy: Snapshot, facts: Facts = NO_FACTS) -> Callable[[Call], Verdict]:
    """Return a function that decides calls with this policy."""
    return lambda call: decide(call, policy, facts).verdict


def _program_case(turn: int, many: int) -> tuple[Call, Verdict]:
    if turn % 4 == 3:
        return bash_call(f"other{turn:05d} sub {new_word()}"), Verdict.ASK
    number = rule_number_for(turn, many)
    return bash_call(f"{program_name(number)} sub {new_word()}"), verdict_of_rule(number)
