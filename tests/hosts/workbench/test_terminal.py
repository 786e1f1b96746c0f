"""Terminals: a real pseudo-terminal, commands of agents beside it, and an end for every process."""

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from assent.hosts.workbench.pty_process import Size
from assent.hosts.workbench.refusal import Reason, WorkbenchError
from assent.hosts.workbench.roots import Root
from assent.hosts.workbench.terminal import AGENT_OUTPUT_BYTES, Frame, Terminal, ViewerGoneError
from assent.hosts.workbench.terminals import MAX_TERMINALS, Terminals
from tests.waiting import wait_until_async

SERVER_VARIABLES = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "SHELL": "/bin/sh",
    "LANG": "C.UTF-8",
    "ASSENT_DATABASE": "postgresql://assent:secret@db/assent",
    "ANTHROPIC_API_KEY": "sk-secret",
    "BASH_ENV": "/nonexistent/start-up",
}
"""The environment of a server, with secrets in it."""


class Page:
    """A page that shows a terminal."""

    def __init__(self) -> None:
        self.frames: list[Mapping[str, object]] = []

    async def show(self, frame: Frame) -> None:
        self.frames.append(frame)

    @property
    def text(self) -> str:
        """All output that the page shows."""
        return "".join(str(one["text"]) for one in self.frames if one["type"] == "output")

    async def wait_for(self, text: str) -> None:
        """Wait until the page shows a text."""
        await wait_until_async(lambda: text in self.text)


@pytest.fixture
def terminals() -> Terminals:
    return Terminals(SERVER_VARIABLES, grace_seconds=3600)


def open_terminal(terminals: Terminals, directory: Path, path: str = "/") -> Terminal:
    return terminals.open("ana", Root("shop", str(directory), own=True), path, Size(80, 24))


async def open_on_page(terminals: Terminals, directory: Path) -> tuple[Terminal, Page]:
    """Open a terminal whose shell has shown its prompt."""
    terminal, page = open_terminal(terminals, directory), Page()
    await terminals.attach(terminal, page.show)
    terminals.ensure_shell(terminal)
    await terminal.type("echo rea''dy\n")
    await page.wait_for("ready")
    return terminal, page


def is_alive(pid: int) -> bool:
    """Whether a process runs; a process that ended and was not collected yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def test_a_full_screen_program_survives_a_resize(terminals: Terminals, tmp_path: Path) -> None:
    program = tmp_path / "screen.py"
    program.write_text(
        "import curses\n"
        "def main(screen):\n"
        "    while True:\n"
        "        rows, columns = screen.getmaxyx()\n"
        "        screen.erase(); screen.addstr(0, 0, f'<{columns} by {rows}>'); screen.refresh()\n"
        "        if screen.getch() == ord('q'):\n"
        "            break\n"
        "curses.wrapper(main)\nprint('left the screen')\n"
    )
    terminal, page = await open_on_page(terminals, tmp_path)
    await terminal.type(f"{sys.executable} screen.py\n")
    await page.wait_for("<80 by 24>")
    terminal.resize(Size(132, 43))
    await page.wait_for("132")
    busy = terminal.is_busy
    await terminal.type("q")
    await page.wait_for("left the screen")

    assert busy
    assert "43" in page.text
    await terminals.end_all()


async def test_a_terminal_has_the_size_of_its_pane(terminals: Terminals, tmp_path: Path) -> None:
    terminal, page = await open_on_page(terminals, tmp_path)
    terminal.resize(Size(101, 37))
    await terminal.type("stty size\n")
    await page.wait_for("37 101")
    await terminals.end_all()


async def test_a_terminal_starts_in_its_directory_with_a_scrubbed_environment(
    terminals: Terminals, tmp_path: Path
) -> None:
    (tmp_path / "src").mkdir()
    terminal = open_terminal(terminals, tmp_path, "/src")
    result = await terminal.execute("pwd; env", 120)

    assert result.output.splitlines()[0] == str(tmp_path / "src")
    names = {line.partition("=")[0] for line in result.output.splitlines()[1:]}
    assert "ASSENT_DATABASE" not in names
    assert "secret" not in result.output
    assert names <= {
        *("PATH HOME SHELL LANG TERM PAGER GIT_PAGER GIT_TERMINAL_PROMPT PWD OLDPWD SHLVL _".split()),
        *("GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0".split()),
    }


async def test_a_command_of_an_agent_reads_no_start_up_files(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for name in (".bashrc", ".bash_profile", ".profile"):
        (home / name).write_text("echo start-up; alias ls='echo replaced'\n")
    variables = {**SERVER_VARIABLES, "HOME": str(home), "BASH_ENV": str(home / ".bashrc")}
    terminal = open_terminal(Terminals(variables), tmp_path)
    result = await terminal.execute("ls -d home", 120)

    assert result == (0, "home\n", len("home\r\n"), False)


async def test_a_command_is_a_process_of_its_own_and_never_typed_into_the_shell(
    terminals: Terminals, tmp_path: Path
) -> None:
    terminal, page = await open_on_page(terminals, tmp_path)
    await terminal.type("cd / && secret=1 && echo mo''ved\n")
    await page.wait_for("moved")
    result = await terminal.execute("pwd; echo ${secret:-unset}; exit 3", 120)

    assert (result.status, result.output) == (3, f"{tmp_path}\nunset\n")
    assert {"type": "started", "command": "pwd; echo ${secret:-unset}; exit 3"} in page.frames
    assert {"type": "ended", "status": 3} in page.frames
    assert "unset" in page.text
    await terminals.end_all()


@pytest.mark.parametrize(("command", "ends"), [("echo out", 1), ("printf out", 2)])
async def test_output_of_a_command_stands_below_a_prompt_that_is_drawn_again_later(
    terminals: Terminals, tmp_path: Path, command: str, ends: int
) -> None:
    terminal, page = await open_on_page(terminals, tmp_path)
    # The prompt needs two rows: a shell that draws it again starts one row higher.
    await terminal.type("PS1=$(printf %0100d 0)\n")
    await page.wait_for("0" * 100)
    before = len(page.text)
    result = await terminal.execute(command, 120)

    shown = page.text[before:]
    assert shown == "\r\n" + result.output.replace("\n", "\r\n") + "\r\n" * ends
    await terminals.end_all()


async def test_the_shell_gets_a_new_size_after_the_command_of_an_agent(
    terminals: Terminals, tmp_path: Path
) -> None:
    terminal, page = await open_on_page(terminals, tmp_path)
    command = "trap 'stty size; exit' WINCH; echo rea''dy-for-it; while :; do read -r -t 1 line; done"
    running = asyncio.create_task(terminal.execute(command, 120))
    await page.wait_for("ready-for-it")
    terminal.resize(Size(100, 30))
    result = await running
    await terminal.type("echo shell $(stty size)\n")
    await page.wait_for("shell 30 100")

    assert result.output.split("\n")[-2] == "30 100"
    await terminals.end_all()


async def test_a_command_is_refused_while_a_program_of_the_person_runs(
    terminals: Terminals, tmp_path: Path
) -> None:
    terminal, page = await open_on_page(terminals, tmp_path)
    await terminal.type("cat\n")
    await wait_until_async(lambda: terminal.is_busy)
    with pytest.raises(WorkbenchError) as refused:
        await terminal.execute("echo typed", 120)

    assert refused.value.reason is Reason.BUSY
    assert "typed" not in page.text
    await terminals.end_all()


async def test_a_second_command_is_refused_while_the_first_runs(terminals: Terminals, tmp_path: Path) -> None:
    terminal, page = open_terminal(terminals, tmp_path), Page()
    await terminal.attach(page.show)
    first = asyncio.create_task(terminal.execute("echo started; read line; echo got $line", 120))
    await page.wait_for("started")
    with pytest.raises(WorkbenchError) as refused:
        await terminal.execute("echo second", 120)
    await terminal.type("answer\n")

    assert refused.value.reason is Reason.BUSY
    assert (await first).output.endswith("got answer\n")


async def test_a_command_ends_at_its_time_limit(terminals: Terminals, tmp_path: Path) -> None:
    terminal = open_terminal(terminals, tmp_path)
    result = await terminal.execute("echo before; exec sleep 3600", 2)

    assert result.status is None
    assert not terminal.is_busy


@pytest.mark.parametrize(
    "command",
    [
        "sleep 3600",
        "trap '' HUP TERM INT; sleep 3600; sleep 3600",
        "nohup sleep 3600",
        "setsid sh -c 'echo $$ >> pids; exec sleep 3600' & sleep 3600",
        "(sh -c 'sh -c \"echo \\$\\$ >> pids; trap : HUP; sleep 3600; sleep 3600\" &') ; sleep 3600",
    ],
)
async def test_no_process_outlives_its_terminal(terminals: Terminals, tmp_path: Path, command: str) -> None:
    terminal, _page = await open_on_page(terminals, tmp_path)
    await terminal.type(f"echo $$ >> pids; set -m; {command}\n")
    await wait_until_async(lambda: terminal.is_busy and (tmp_path / "pids").exists())
    wanted = 1 + command.count("pids")
    await wait_until_async(lambda: len((tmp_path / "pids").read_text().split()) == wanted)
    pids = [int(one) for one in (tmp_path / "pids").read_text().split()]
    alive = [is_alive(one) for one in pids]
    await terminals.end(terminal)

    assert alive == [True] * wanted
    assert [is_alive(one) for one in pids] == [False] * wanted
    assert [one for one in list_processes_in(tmp_path) if one not in pids] == []


async def test_what_a_command_leaves_running_is_killed_with_it(terminals: Terminals, tmp_path: Path) -> None:
    terminal = open_terminal(terminals, tmp_path)
    result = await terminal.execute("setsid sleep 3600 & nohup sleep 3600 >/dev/null & echo $!", 120)

    assert result.status == 0
    assert list_processes_in(tmp_path) == []


async def test_a_terminal_ends_when_the_server_is_killed(terminals: Terminals, tmp_path: Path) -> None:
    code = (
        "import asyncio, os, pathlib, sys\n"
        "from assent.hosts.workbench.roots import Root\n"
        "from assent.hosts.workbench.pty_process import Size\n"
        "from assent.hosts.workbench.terminals import Terminals\n"
        "async def main():\n"
        "    one = Terminals({'PATH': os.environ['PATH']}).open('ana', Root('r', sys.argv[1]), '/', Size())\n"
        "    await one.execute('echo $$ > pids; trap \"\" HUP; sleep 3600; sleep 3600', 600)\n"
        "asyncio.run(main())\n"
    )
    server = await asyncio.create_subprocess_exec(sys.executable, "-c", code, str(tmp_path))
    await wait_until_async(lambda: (tmp_path / "pids").exists() and (tmp_path / "pids").read_text().strip())
    server.kill()
    await server.wait()

    await wait_until_async(lambda: not list_processes_in(tmp_path))


async def test_the_shell_ends_its_terminal(terminals: Terminals, tmp_path: Path) -> None:
    terminal, _ = await open_on_page(terminals, tmp_path)
    shell = terminals.ensure_shell(terminal)
    await terminal.type("exit 7\n")

    assert await shell == 7
    assert terminals.owned_by("ana") == []


async def test_a_terminal_without_a_page_ends_after_the_grace_time(tmp_path: Path) -> None:
    terminals = Terminals(SERVER_VARIABLES, grace_seconds=0)
    terminal, page = await open_on_page(terminals, tmp_path)
    terminals.detach(terminal, page.show)

    await wait_until_async(lambda: not terminals.owned_by("ana"))
    await wait_until_async(lambda: not list_processes_in(tmp_path))


async def test_a_page_that_attaches_again_sees_the_output_so_far(
    terminals: Terminals, tmp_path: Path
) -> None:
    terminal, first = await open_on_page(terminals, tmp_path)
    second = Page()
    terminals.detach(terminal, first.show)
    await terminals.attach(terminal, second.show)
    await terminal.type("echo af''ter\n")
    await second.wait_for("after")

    assert second.frames[0]["type"] == "opened"
    assert "ready" in second.text
    assert "after" not in first.text
    await terminals.end_all()


async def test_a_page_that_is_too_slow_is_detached_and_the_command_goes_on(
    terminals: Terminals, tmp_path: Path
) -> None:
    async def refuse(frame: Frame) -> None:
        if frame["type"] != "opened":
            raise ViewerGoneError

    terminal = open_terminal(terminals, tmp_path)
    await terminal.attach(refuse)

    assert (await terminal.execute("echo done", 120)).output == "done\n"


async def test_ten_megabytes_of_output_are_shown_and_returned_in_part(
    terminals: Terminals, tmp_path: Path
) -> None:
    terminal, page = open_terminal(terminals, tmp_path), Page()
    await terminal.attach(page.show)
    result = await terminal.execute(
        "echo first; head -c 10000000 /dev/zero | tr '\\0' x; echo; echo last", 250
    )

    assert (result.status, result.truncated) == (0, True)
    assert result.bytes > 10_000_000
    assert len(result.output) < AGENT_OUTPUT_BYTES + 100
    assert result.output.startswith("first\nxxx")
    assert result.output.endswith("xxx\nlast\n")
    assert "more bytes" in result.output
    assert len(page.text) > 10_000_000
    assert len(terminal.read_for_agent().output) <= AGENT_OUTPUT_BYTES


async def test_control_sequences_and_invalid_bytes_do_not_reach_the_model(
    terminals: Terminals, tmp_path: Path
) -> None:
    terminal, page = open_terminal(terminals, tmp_path), Page()
    await terminal.attach(page.show)
    line = r"\033[31mred\033[0m\033]0;title\007\033]52;c;aGk=\033\\ \377\376 \303\251\b\033[2J\r\n"
    result = await terminal.execute(f"printf '{line}'", 120)

    assert result.output == "red \ufffd\ufffd é\n"
    assert "\x1b[31mred" in page.text


async def test_an_agent_reads_its_own_output_unless_the_person_shares_the_terminal(
    terminals: Terminals, tmp_path: Path
) -> None:
    terminal, page = await open_on_page(terminals, tmp_path)
    await terminal.type("echo my-pass''word\n")
    await page.wait_for("my-password")
    await terminal.execute("echo of the agent", 120)
    before = terminal.read_for_agent()
    terminal.shared = True
    after = terminal.read_for_agent()

    assert before == ("of the agent\n", False, False)
    assert after.shared
    assert "my-password" in after.output
    await terminals.end_all()


async def test_without_a_free_pseudo_terminal_nothing_runs(
    terminals: Terminals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> tuple[int, int]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.openpty", fail)
    terminal = open_terminal(terminals, tmp_path)
    with pytest.raises(WorkbenchError) as refused:
        await terminal.execute("touch ran", 120)

    assert refused.value.reason is Reason.FAILED
    assert not terminal.is_busy
    assert list(tmp_path.iterdir()) == []


async def test_a_terminal_whose_directory_became_a_link_runs_nothing(
    terminals: Terminals, tmp_path: Path
) -> None:
    (tmp_path / "root" / "src").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    terminal = open_terminal(terminals, tmp_path / "root", "/src")
    (tmp_path / "root" / "src").rmdir()
    (tmp_path / "root" / "src").symlink_to(tmp_path / "outside")
    with pytest.raises(WorkbenchError) as refused:
        await terminal.execute("touch ran", 120)

    assert refused.value.reason is Reason.LINK
    assert list((tmp_path / "outside").iterdir()) == []


async def test_at_the_limit_the_terminal_whose_page_left_first_makes_room(
    terminals: Terminals, tmp_path: Path
) -> None:
    (tmp_path / "left").mkdir()
    left, page = await open_on_page(terminals, tmp_path / "left")
    later = open_terminal(terminals, tmp_path)
    rest = [open_terminal(terminals, tmp_path) for _ in range(MAX_TERMINALS - 2)]
    terminals.detach(left, page.show)
    terminals.detach(later, page.show)
    with pytest.raises(WorkbenchError):
        open_terminal(terminals, tmp_path, "/absent")
    assert left in terminals.owned_by("ana")

    newest = open_terminal(terminals, tmp_path)

    assert terminals.owned_by("ana") == [later, *rest, newest]
    await wait_until_async(lambda: not list_processes_in(tmp_path / "left"))
    await terminals.end_all()


async def test_people_see_their_own_terminals_and_have_a_limited_number(
    terminals: Terminals, tmp_path: Path
) -> None:
    mine = [open_terminal(terminals, tmp_path) for _ in range(MAX_TERMINALS)]
    with pytest.raises(WorkbenchError) as one_more:
        open_terminal(terminals, tmp_path)
    with pytest.raises(WorkbenchError) as of_another:
        terminals.find("ben", mine[0].id)

    assert (one_more.value.reason, of_another.value.reason) == (Reason.LIMIT, Reason.ABSENT)
    assert terminals.owned_by("ben") == []
    assert terminals.find("ana", mine[0].id) is mine[0]


def list_processes_in(directory: Path) -> list[int]:
    """The processes whose working directory is in a directory."""
    found: list[int] = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.readlink(f"/proc/{name}/cwd").startswith(str(directory)):
                found.append(int(name))
        except OSError:
            continue
    return [one for one in found if is_alive(one)]
