"""If any function of the engine raises an error during a decision, the call does not run."""

import functools
import sys
from collections.abc import Callable
from types import CodeType, FrameType, ModuleType
from typing import Any

import pytest

import assent.engine
from assent.engine.base.facts import Facts
from assent.engine.base.tool import Call
from assent.engine.decide import decide, paths_to_resolve
from assent.engine.policy.modes import Mode
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.verdict import Verdict
from tests.conftest import IS_DEEP_RUN
from tests.engine import given

HOME = assent.engine.__path__[0]
RULES = {
    "deny": [
        "terminal.exec(rm *)",
        "pwsh.exec(Remove-Item *)",
        "files.*(/secrets/**)",
        "mail.send(to=boss*)",
    ],
    "ask": ["terminal.exec(git push*)", "files.read(*.pem)", "mail.send(body=*invoice*)"],
    "allow": [
        "terminal.exec(npm run *)",
        "files.save(/src/**)",
        "mail.send(to=*@example.org)",
        "pwsh.exec(npm *)",
    ],
}

# Each of these runs: a reader, a rule, a mode or a grant lets it.
RUNNING_CALLS: dict[str, Call] = {
    "a text": given.mail_call(to="ana@example.org", tags=["a", "b"], more={"x": 1}),
    "a file read": given.file_call(given.READ_FILE, "src/a.py"),
    "a file saved": given.file_call(given.SAVE_FILE, ["src/a.py", "src/*.py"]),
    "a reader": given.shell_call("cat src/a.py | grep -n x | head -5"),
    "a rule": given.shell_call("npm run build -- --watch && npm run test"),
    "a redirection": given.shell_call("echo done > src/notes.txt 2>&1"),
    "a repository": given.shell_call("git log --oneline -5 -- src"),
    "a substitution": given.shell_call('echo "$(ls src)" `pwd`'),
    "a loop": given.shell_call("for f in a.py b.py; do wc -l $f; done"),
    "a condition": given.shell_call("if [ -f a ]; then cat a; elif [[ -d b ]]; then ls b; else pwd; fi"),
    "a case": given.shell_call("case x in a|b) pwd ;; *) ls ;; esac"),
    "a function": given.shell_call("f() { ls; }; f"),
    "a here-document": given.shell_call("cat <<'END'\nhello\nEND"),
    "a wrapper": given.shell_call("timeout 5 nice -n 3 ls src"),
    "a shell in a shell": given.shell_call("bash -c 'ls src; pwd'"),
    "a list of names": given.shell_call("find src -name '*.py' | xargs grep -l x"),
    "words of all kinds": given.shell_call("echo a{1,2} ~ \"$HOME\" $'x' $((1+2)) ${X:-y}"),
    "a directory": given.shell_call("cd src && cat a.py"),
    "a constant": given.shell_call("dir=src; cat $dir/a.py"),
    "PowerShell": Call(tool="pwsh.exec", args={"command": "Get-Content src/a.py | Select-Object -First 5"}),
}


class InjectedError(Exception):
    """An error that a test raises on purpose."""


OTHER_ERRORS = (
    ValueError("x"),
    KeyError("x"),
    IndexError("x"),
    RecursionError("x"),
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x"),
)
# Errors of other kinds might be caught on the way and taken for something else.
OFTEN_FAILING = RUNNING_CALLS if IS_DEEP_RUN else ("a text", "a wrapper")
FAULTS = [
    *((name, InjectedError()) for name in RUNNING_CALLS),
    *((name, error) for name in OFTEN_FAILING for error in OTHER_ERRORS),
]


def snapshot_with_every_feature() -> Snapshot:
    """A policy that uses every feature, created anew so that nothing is compiled yet."""
    given.parse_rule_set.cache_clear()
    for function in cached_functions(len(engine_modules())):
        function.cache_clear()
    return given.make_snapshot(
        **RULES, mode=Mode.DEFAULT, grants=["files.read(/src/**)", "terminal.exec(make *)"]
    )


@pytest.mark.parametrize("name", RUNNING_CALLS)
def test_each_call_runs_when_nothing_breaks(name: str) -> None:
    call, snapshot, facts = _build_case(name)

    assert decide(call, snapshot, facts).verdict is Verdict.RUN


@pytest.mark.parametrize(("name", "error"), FAULTS)
@pytest.mark.proves("T-23", "R000-53")
def test_a_call_never_runs_when_a_function_that_decides_it_raises(name: str, error: Exception) -> None:
    call, snapshot, facts = _build_case(name)
    # The first decision of a process also loads tables; the functions that load them are not called again.
    decide(call, snapshot, facts)
    snapshot = snapshot_with_every_feature()
    entered = _functions_entered_during(lambda: decide(call, snapshot, facts))

    slipped = [
        code.co_qualname
        for code in entered
        if _run_with_error(code, error, decide, call, snapshot_with_every_feature(), facts).verdict
        is Verdict.RUN
    ]

    assert len(entered) > 40
    assert slipped == []


@pytest.mark.parametrize("name", RUNNING_CALLS)
@pytest.mark.proves("T-23")
def test_listing_the_paths_to_resolve_never_raises(name: str) -> None:
    call, snapshot, _ = _build_case(name)
    entered = _functions_entered_during(lambda: paths_to_resolve(call, snapshot, given.DIRECTORIES))

    for code in entered:
        assert isinstance(
            _run_with_error(
                code,
                InjectedError(),
                paths_to_resolve,
                call,
                snapshot_with_every_feature(),
                given.DIRECTORIES,
            ),
            tuple,
        )


def engine_modules() -> list[ModuleType]:
    return [module for name, module in sys.modules.items() if name.startswith("assent.engine.")]


@functools.cache
def cached_functions(loaded_modules: int) -> list["functools._lru_cache_wrapper[Any]"]:
    """The functions of the engine that cache their results; searched again when more modules are loaded."""
    values = [value for module in engine_modules() for value in vars(module).values()]
    return [value for value in values if isinstance(value, functools._lru_cache_wrapper)]


def _build_case(name: str) -> tuple[Call, Snapshot, Facts]:
    call, snapshot = RUNNING_CALLS[name], snapshot_with_every_feature()
    facts = given.make_facts(call, snapshot)
    return call, snapshot_with_every_feature(), facts


def _functions_entered_during(act: Callable[[], object]) -> list[CodeType]:
    """All functions of the engine that are called during an act."""
    found: dict[CodeType, None] = {}

    def trace_engine(frame: FrameType, event: str, _: object) -> Any:
        return record_line if frame.f_code.co_filename.startswith(HOME) else None

    def record_line(frame: FrameType, event: str, _: object) -> None:
        if event == "line":
            found.setdefault(frame.f_code)

    _run_traced(trace_engine, act)
    return list(found)[1:]


def _run_with_error(code: CodeType, error: Exception, act: Callable[..., Any], *args: object) -> Any:
    """Call a function while one of the functions below it raises an error."""

    def trace_failing_function(frame: FrameType, event: str, _: object) -> Any:
        return raise_error if frame.f_code is code else None

    # At its first line, not when it is called: an unused generator is also called, to be closed.
    def raise_error(frame: FrameType, event: str, _: object) -> None:
        if event == "line":
            raise error

    return _run_traced(trace_failing_function, lambda: act(*args))


def _run_traced(trace: Callable[[FrameType, str, object], Any], act: Callable[[], Any]) -> Any:
    """Run an act with a trace function; an error that the function raises is raised in the traced frame."""
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return act()
    finally:
        sys.settrace(before)
