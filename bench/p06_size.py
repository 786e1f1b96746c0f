"""P6: the cost of long commands and of rules with many stars is linear, and hostile texts are not slow."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import cycle, islice
from time import thread_time

from assent.engine.base.tool import Call, Dialect, Effect, Tool
from assent.engine.bash.language import MAX_TEXT_LENGTH
from assent.engine.decide import decide, paths_to_resolve
from assent.engine.policy.rule import parse_rule
from assent.engine.policy.rule_set import RuleSet
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.verdict import Verdict
from bench.adversarial import Maker, bash_texts, nesting_texts, path_texts, powershell_texts
from bench.harness import (
    MICRO,
    MILLI,
    Contender,
    Effort,
    Result,
    WrongAnswerError,
    at_most,
    best_rounds,
    freeze_heap,
)
from bench.isolated import SECONDS, run_isolated
from bench.progress import show_note, show_progress
from bench.workload import NO_FACTS, PLACE, TOOLS, Cases, bash, decide_with, new_word, program_rules, snapshot

KILO = 1024
LIMIT = at_most(50, "ms")
TRIES = 5
STARS = 20
CAP = MAX_TEXT_LENGTH
SIZES = {"1 KB": KILO, "10 KB": 10 * KILO, "the size cap": CAP, "ten times the cap": 10 * CAP}
POWERSHELL = Tool(name="PowerShell", effect=Effect.EXECUTE, dialect=Dialect.POWERSHELL)
LETTERS = (("a",), ("", "a"), ("a", "b"), ("a", " "))
WORK = parse_rule("Bash(work *)")
STARRY = parse_rule(f"Bash({'*a' * STARS}*zz)")
PLAIN = snapshot(RuleSet(deny=[], ask=[], allow=[WORK]))


def measure(effort: Effort) -> Iterator[Result]:
    starry = snapshot(RuleSet(deny=[STARRY], ask=[], allow=[WORK]))
    plain, long, stars = best_rounds(
        Contender(decide_with(PLAIN), lambda: _script_cases(KILO, 20)),
        Contender(decide_with(PLAIN), lambda: _script_cases(CAP, 2)),
        Contender(decide_with(starry), lambda: _script_cases(CAP, 2)),
        rounds=effort.rounds,
    )
    yield _per_byte(f"{CAP // KILO} KB command, each KB", long, plain)
    yield _per_byte(f"{CAP // KILO} KB command against a 20-star rule, each KB", stars, plain)
    for name, size in SIZES.items():
        yield _worst(name, _hostile_calls(size))
    carrying = _calls("Bash", "command", "echo {}\n", nesting_texts(every=30 if effort.quick else 1), CAP)
    yield _worst("programs that run others", carrying)


# In proportion


def _per_byte(what: str, ours: float, plain: float) -> Result:
    each = ours / (CAP / KILO)
    return Result(
        row="P6",
        what=what,
        ours=each * MICRO,
        peer=plain * MICRO,
        against="1 KB command",
        ratio=each / plain,
        goal=at_most(2),
    )


def _script_cases(size: int, calls: int) -> Cases:
    return [(bash(_script(size)), Verdict.RUN) for _ in range(calls)]


def _script(size: int) -> str:
    """One command per line, up to exactly this size; the rule covers each."""
    operands = "--option=a/long/path/of/one/file another/quite/long/path/of/a/file " * 4
    lines = [f"work {new_word()} {operands}".rstrip() for _ in range(max(size // 320, 1))]
    text = "\n".join(lines)
    return text + "a" * (size - len(text))


# On purpose


def _worst(name: str, calls: Iterable[tuple[str, Callable[[], Call]]]) -> Result:
    policy = _hostile_policy()
    for tool in policy.tools:  # rules are compiled at first use
        decide(Call(tool=tool, args={"command": "echo $word", "path": "word"}), policy, NO_FACTS)
    freeze_heap()
    slowest, seconds = "", 0.0
    for what, fresh_call in calls:
        show_progress(f"P6: {name}: {what}")
        took = run_isolated(partial(_cpu_seconds, fresh_call, policy))
        took = SECONDS if took is None else took
        if not LIMIT.is_met_by(took * MILLI):
            show_note(f"P6: {name}: {what}: {took * MILLI:,.0f} ms")
        if took > seconds:
            slowest, seconds = what, took
    what = f"{name}, the worst input: {slowest}"
    return Result(row="P6", what=what, ours=seconds * MILLI, unit="ms", goal=LIMIT)


def _hostile_policy() -> Snapshot:
    """Ten thousand ordinary rules, and a hundred that almost match every call."""
    globs = [_starry(letters, number) for letters in LETTERS for number in range(25)]
    texts = [f"{tool}({glob})" for tool in ("Bash", "PowerShell", "Edit") for glob in globs]
    deny = [parse_rule(text) for text in [*program_rules(10_000), *texts]]
    tools = {**TOOLS, "PowerShell": POWERSHELL}
    return Snapshot(tools=tools, rules=RuleSet(deny=deny, ask=[], allow=[parse_rule(text) for text in texts]))


def _starry(letters: tuple[str, ...], number: int) -> str:
    return "*".join(islice(cycle(letters), STARS)) + f"*z{number}"


def _hostile_calls(size: int) -> Iterator[tuple[str, Callable[[], Call]]]:
    for tool, argument, begin, texts in (
        ("Bash", "command", "echo {}\n", bash_texts()),
        ("PowerShell", "command", "echo {}\n", powershell_texts()),
        ("Edit", "path", "{}/", path_texts()),
    ):
        yield from _calls(tool, argument, begin, texts, size)


def _calls(
    tool: str, argument: str, begin: str, texts: Iterable[tuple[str, Maker]], size: int
) -> Iterator[tuple[str, Callable[[], Call]]]:
    for what, make in texts:
        yield f"{tool}, {what}", partial(_hostile_call, tool, argument, begin, make, size)


def _hostile_call(tool: str, argument: str, begin: str, make: Maker, size: int) -> Call:
    head = begin.format(new_word())  # a new text, so that no cache contains it
    return Call(tool=tool, args={argument: head + make(size - len(head))})


def _cpu_seconds(fresh_call: Callable[[], Call], policy: Snapshot) -> float:
    """The minimum of a few tries; one try is enough if it is far from the limit."""
    fastest = float("inf")
    for _ in range(TRIES):
        call = fresh_call()
        start = thread_time()
        paths_to_resolve(call, policy, PLACE)
        verdict = decide(call, policy, NO_FACTS).verdict
        fastest = min(fastest, thread_time() - start)
        _check(call, verdict)
        if not LIMIT.limit / 5 < fastest * MILLI < LIMIT.limit * 2:
            break
    return fastest


def _check(call: Call, verdict: Verdict) -> None:
    """Check that a call over the size limit does not run."""
    text = str(next(iter(call.args.values())))
    if len(text) > CAP and verdict is Verdict.RUN:
        raise WrongAnswerError(f"{len(text)} characters ran unasked: {text:.80}")
