"""The prompt of `assent check --interactive` decides the commands and calls that a person types."""

from tests.cli.running import CommandResult, CommandSandbox


def run_interactive(sandbox: CommandSandbox, *lines: str, flags: tuple[str, ...] = ()) -> CommandResult:
    return sandbox.run("check", "--interactive", *flags, stdin="\n".join(lines) + "\n")


def read_printed_verdicts(ran: CommandResult) -> list[str]:
    return [" ".join(line.split("  ")[:2]) for line in ran.lines]


def test_a_line_is_a_command_or_a_call(sandbox: CommandSandbox) -> None:
    ran = run_interactive(sandbox, "ls", "npm run build", "Read(notes.txt)", "TodoWrite", "", "unheard.of(x)")

    assert (ran.status, ran.err) == (0, "")
    assert read_printed_verdicts(ran) == [
        "run Bash(ls)",
        "ask Bash(npm run build)",
        "run Read(notes.txt)",
        "run TodoWrite",
        "absent unheard.of(x)",
    ]


def test_the_mode_can_be_changed(sandbox: CommandSandbox) -> None:
    ran = run_interactive(sandbox, "make", ":mode plan", "make", ":mode bypassPermissions", "make", ":mode")

    assert [line for line in read_printed_verdicts(ran) if "make" in line] == [
        "ask Bash(make)",
        "deny Bash(make)",
        "run Bash(make)",
    ]
    assert ran.lines[-1] == f"mode bypassPermissions, preset assent, workspace {sandbox.root}"


def test_a_mistake_does_not_end_the_prompt(sandbox: CommandSandbox) -> None:
    ran = run_interactive(sandbox, ":mode turbo", ":nonsense", "ls")

    assert (ran.status, read_printed_verdicts(ran)) == (0, ["run Bash(ls)"])
    assert ran.err.splitlines()[0].startswith("assent: unknown mode `turbo`")
    assert ran.err.splitlines()[1] == ("assent: unknown command `:nonsense`; :help lists the commands")


def test_steps_are_shown_with_explain(sandbox: CommandSandbox) -> None:
    ran = run_interactive(sandbox, ":explain", "make", ":explain", "make")

    assert "> ask     mode  `make` runs this project's code" in ran.lines
    assert ran.out.count("> ask") == 1
    assert "  allow Bash(make)" in ran.lines


def test_help_lists_the_commands_and_quit_ends_the_prompt(sandbox: CommandSandbox) -> None:
    ran = run_interactive(sandbox, ":help", ":quit", "ls")

    assert ":mode NAME" in ran.out
    assert "Bash(ls)" not in ran.out


def test_at_a_terminal_there_is_a_prompt(sandbox: CommandSandbox) -> None:
    status, shown = sandbox.run_at_terminal("check", "--interactive", typed="ls\n:quit\n")

    assert status == 0
    assert "assent> " in shown
    assert "Bash(ls)" in shown
