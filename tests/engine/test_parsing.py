"""A call as rules see it: never without parts, whatever its arguments are."""

import pytest
from hypothesis import given as any_of
from hypothesis import strategies as st

from assent.engine.facts import PathUse
from assent.engine.globs import HOLE
from assent.engine.model import Call, Dialect, PathKind, Tool
from assent.engine.modes import Mode
from assent.engine.parsing import parse_call
from assent.engine.verdict import Stage, Verdict
from tests.engine import given

json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
arguments = st.dictionaries(st.sampled_from(["command", "path", "file_path", "x"]), json, max_size=3)
tools = st.builds(
    Tool,
    name=st.just("t"),
    dialect=st.sampled_from(list(Dialect)),
    template=st.sampled_from([None, "{command}", "{path}", "{x} {y}", "constant"]),
    paths=st.sampled_from(list(PathKind)),
)


@any_of(tools, arguments)
@pytest.mark.proves("T-35", "R-18")
def test_a_subject_always_has_a_part(tool: Tool, args: dict[str, object]) -> None:
    assert parse_call(Call(tool="t", args=args), tool).parts


@any_of(tools, arguments)
@pytest.mark.proves("T-23", "R-18")
def test_a_deny_on_the_tool_denies_whatever_the_arguments_are(tool: Tool, args: dict[str, object]) -> None:
    decision = given.decided(Call(tool="t", args=args), given.policy(tool, deny=["t"], mode=Mode.AUTO))

    assert (decision.verdict, decision.stage) == (Verdict.DENY, Stage.DENY_RULE)


@pytest.mark.parametrize(
    "args", [{}, {"command": None}, {"command": ["ls"]}, {"command": 3}, {"cmd": "ls"}], ids=str
)
@pytest.mark.proves("R003-17")
def test_a_shell_call_without_a_command_cannot_be_read(args: dict[str, object]) -> None:
    decision = given.decided(Call(tool="terminal.exec", args=args), given.policy(mode=Mode.AUTO, allow=["*"]))

    assert (decision.verdict, decision.stage) == (Verdict.ASK, Stage.UNREADABLE)
    assert "has no command" in decision.because


@pytest.mark.parametrize("command", ["", " ", "\n", "# only a comment", "  # x\n"])
@pytest.mark.proves("R003-45", "T-23")
def test_an_empty_command_never_runs_unasked(command: str) -> None:
    decision = given.decided(given.run(command), given.policy(mode=Mode.AUTO, allow=["terminal.exec(*)"]))

    assert decision.stage is Stage.UNREADABLE


def test_a_file_tool_may_have_several_paths() -> None:
    tool = Tool(name="files.move", dialect=Dialect.PATH, template="{source} {target}")
    subject = parse_call(Call(tool=tool.name, args={"source": ["a", "b"], "target": "c"}), tool)

    assert [part.text for part in subject.parts] == ["a", "b", "c"]


@pytest.mark.parametrize("path", [None, "", [], 3, [None], {"a": 1}], ids=str)
def test_a_path_that_is_no_text_cannot_be_known(path: object) -> None:
    subject = parse_call(given.on_path(given.READ_FILE, path), given.READ_FILE)

    assert [part.path for part in subject.parts] == [PathUse(HOLE)]


def test_a_page_has_its_paths_from_the_root_of_the_workspace() -> None:
    page = Tool(name="files.read", dialect=Dialect.PATH, paths=PathKind.ANCHORED)
    system = Tool(name="files.read", dialect=Dialect.PATH)
    call = given.on_path(system, "~/x")

    assert parse_call(call, page).parts[0].path == PathUse("~/x", anchored=True)
    assert parse_call(call, system).parts[0].path == PathUse("~/x", tilde=True)


def test_a_path_with_an_invisible_character_cannot_be_read() -> None:
    subject = parse_call(given.on_path(given.READ_FILE, ["a", "b\u200b"]), given.READ_FILE)

    assert subject.unreadable is not None


def test_a_template_without_arguments_is_a_text_of_its_own() -> None:
    tool = Tool(name="t", template="constant")

    assert (
        given.decided(Call(tool="t", args={}), given.policy(tool, allow=["t(constant)"])).verdict
        is Verdict.RUN
    )


def test_a_long_line_is_read_like_a_short_one() -> None:
    long = "ls " + " ".join(f"file{number}" for number in range(200))

    assert len(long) > 1024
    assert given.decided(given.run(long), given.policy()).verdict is Verdict.RUN
