"""P6: the time for long commands and for rules with many stars is linear; hostile texts are not slow."""

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
from bench.adversarial import TextMaker, bash_texts, path_texts, powershell_texts, wrapper_texts
from bench.harness import (
    MICROSECONDS,
    MILLISECONDS,
    Effort,
    FunctionCompetitor,
    Result,
    WrongAnswerError,
    best_times,
    freeze_heap,
    goal_at_most,
)
from bench.isolated import MAX_CPU_SECONDS, run_isolated
from bench.progress import show_note, show_progress
from bench.workload import (
    DIRECTORIES,
    NO_FACTS,
    TOOLS,
    Cases,
    bash_call,
    make_decide,
    new_word,
    program_rules,
    snapshot_with,
)

BYTES_PER_KB = 1024
TIME_GOAL = goal_at_most(50, "ms")
MAX_TRIES = 5
STARS_PER_RULE = 20
MAX_TEXT = MAX_TEXT_LENGTH
TEXT_SIZES = {
    "1 KB": BYTES_PER_KB,
    "10 KB": 10 * BYTES_PER_KB,
    "the size cap": MAX_TEXT,
    "ten times the cap": 10 * MAX_TEXT,
}
POWERSHELL = Tool(name="PowerShell", effect=Effect.EXECUTE, dialect=Dialect.POWERSHELL)
STAR_SEPARATORS = (("a",), ("", "a"), ("a", "b"), ("a", " "))
WORK_RULE = parse_rule("Bash(work *)")
STAR_RULE = parse_rule(f"Bash({'*a' * STARS_PER_RULE}*zz)")
PLAIN_POLICY = snapshot_with(RuleSet(deny=[], ask=[], allow=[WORK_RULE]))


def measure(effort: Effort) -> Iterator[Result]:
    starry = snapshot_with(RuleSet(deny=[STAR_RULE], ask=[], allow=[WORK_RULE]))
    plain, long, stars = best_times(
        FunctionCompetitor(make_decide(PLAIN_POLICY), lambda: _script_cases(BYTES_PER_KB, 20)),
        FunctionCompetitor(make_decide(PLAIN_POLICY), lambda: _script_cases(MAX_TEXT, 2)),
        FunctionCompetitor(make_decide(starry), lambda: _script_cases(MAX_TEXT, 2)),
        rounds=effort.rounds,
    )
    yield _per_kilobyte_result(f"{MAX_TEXT // BYTES_PER_KB} KB command, each KB", long, plain)
    yield _per_kilobyte_result(
        f"{MAX_TEXT // BYTES_PER_KB} KB command against a 20-star rule, each KB", stars, plain
    )
    for name, size in TEXT_SIZES.items():
        yield _slowest_call_result(name, _hostile_calls(size))
    carrying = _calls_from_texts(
        "Bash", "command", "echo {}\n", wrapper_texts(every=30 if effort.quick else 1), MAX_TEXT
    )
    yield _slowest_call_result("programs that run others", carrying)


# ---- time per kilobyte ---------------------------------------------------------------------------


def _per_kilobyte_result(what: str, ours: float, plain: float) -> Result:
    each = ours / (MAX_TEXT / BYTES_PER_KB)
    return Result(
        row="P6",
        what=what,
        ours=each * MICROSECONDS,
        peer=plain * MICROSECONDS,
        against="1 KB command",
        ratio=each / plain,
        goal=goal_at_most(2),
    )


def _script_cases(size: int, calls: int) -> Cases:
    return [(bash_call(_make_script(size)), Verdict.RUN) for _ in range(calls)]


def _make_script(size: int) -> str:
    """Make a script of exactly this size, with one command per line; a rule covers each command."""
    operands = "--option=a/long/path/of/one/file another/quite/long/path/of/a/file " * 4
    lines = [f"work {new_word()} {operands}".rstrip() for _ in range(max(size // 320, 1))]
    text = "\n".join(lines)
    return text + "a" * (size - len(text))


# ---- hostile texts -------------------------------------------------------------------------------


def _slowest_call_result(name: str, calls: Iterable[tuple[str, Callable[[], Call]]]) -> Result:
    policy = _hostile_policy()
    for tool in policy.tools:  # rules are compiled at first use
        decide(Call(tool=tool, args={"command": "echo $word", "path": "word"}), policy, NO_FACTS)
    freeze_heap()
    slowest, seconds = "", 0.0
    for what, fresh_call in calls:
        show_progress(f"P6: {name}: {what}")
        took = run_isolated(partial(_time_decision, fresh_call, policy))
        took = MAX_CPU_SECONDS if took is None else took
        if not TIME_GOAL.is_met_by(took * MILLISECONDS):
            show_note(f"P6: {name}: {what}: {took * MILLISECONDS:,.0f} ms")
        if took > seconds:
            slowest, seconds = what, took
    what = f"{name}, the worst input: {slowest}"
    return Result(row="P6", what=what, ours=seconds * MILLISECONDS, unit="ms", goal=TIME_GOAL)


def _hostile_policy() -> Snapshot:
    """A policy of 10,000 ordinary rules, and 100 rules for each tool that almost match every call."""
    globs = [_star_pattern(letters, number) for letters in STAR_SEPARATORS for number in range(25)]
    texts = [f"{tool}({glob})" for tool in ("Bash", "PowerShell", "Edit") for glob in globs]
    deny = [parse_rule(text) for text in [*program_rules(10_000), *texts]]
    tools = {**TOOLS, "PowerShell": POWERSHELL}
    return Snapshot(tools=tools, rules=RuleSet(deny=deny, ask=[], allow=[parse_rule(text) for text in texts]))


def _star_pattern(letters: tuple[str, ...], number: int) -> str:
    return "*".join(islice(cycle(letters), STARS_PER_RULE)) + f"*z{number}"


def _hostile_calls(size: int) -> Iterator[tuple[str, Callable[[], Call]]]:
    for tool, argument, begin, texts in (
        ("Bash", "command", "echo {}\n", bash_texts()),
        ("PowerShell", "command", "echo {}\n", powershell_texts()),
        ("Edit", "path", "{}/", path_texts()),
    ):
        yield from _calls_from_texts(tool, argument, begin, texts, size)


def _calls_from_texts(
    tool: str, argument: str, begin: str, texts: Iterable[tuple[str, TextMaker]], size: int
) -> Iterator[tuple[str, Callable[[], Call]]]:
    for what, make in texts:
        yield f"{tool}, {what}", partial(_make_hostile_call, tool, argument, begin, make, size)


def _make_hostile_call(tool: str, argument: str, begin: str, make: TextMaker, size: int) -> Call:
    head = begin.format(new_word())  # a new text, so that no cache contains it
    return Call(tool=tool, args={argument: head + make(size - len(head))})


def _time_decision(fresh_call: Callable[[], Call], policy: Snapshot) -> float:
    """Return the CPU seconds of the fastest of a few tries; one try is enough far from the limit."""
    fastest = float("inf")
    for _ in range(MAX_TRIES):
        call = fresh_call()
        start = thread_time()
        paths_to_resolve(call, policy, DIRECTORIES)
        verdict = decide(call, policy, NO_FACTS).verdict
        fastest = min(fastest, thread_time() - start)
        _check_large_call_asks(call, verdict)
        if not TIME_GOAL.limit / 5 < fastest * MILLISECONDS < TIME_GOAL.limit * 2:
            break
    return fastest


def _check_large_call_asks(call: Call, verdict: Verdict) -> None:
    """Raise an error if a call over the size limit runs without asking."""
    text = str(next(iter(call.args.values())))
    if len(text) > MAX_TEXT and verdict is Verdict.RUN:
        raise WrongAnswerError(f"{len(text)} characters ran unasked: {text:.80}")
