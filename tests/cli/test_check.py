"""`assent check` prints decisions, with exit statuses that scripts can rely on."""

import json
import random
import subprocess
import sys

import click
import pytest

from assent.cli.check import CheckOptions, parse_plain_options
from assent.cli.root import check_command
from assent.config import check_records
from assent.config.check_records import decide_line
from tests.cli.running import ASSENT_PROGRAM, Command, CommandResult, CommandSandbox


@pytest.mark.parametrize(
    ("words", "status", "verdict"),
    [
        (("Bash(ls)",), 0, "run"),
        (("terminal.exec(npm run build)",), 4, "ask"),
        (("Bash(npm run build)", "--mode", "plan"), 3, "deny"),
        (("Bash(npm run build)", "--mode", "autonomous"), 0, "run"),
        (("nobody.knows(x)",), 3, "absent"),
        (("--tool", "Bash", "--args", '{"command": "ls"}'), 0, "run"),
        (("--tool", "Bash", "--args", "{}"), 4, "ask"),
        (("--tool", "TodoWrite"), 0, "run"),
        (("Bash(ls)", "--preset", "chat"), 3, "absent"),
    ],
)
def test_the_exit_status_is_the_verdict(
    sandbox: CommandSandbox, words: tuple[str, ...], status: int, verdict: str
) -> None:
    ran = sandbox.run("check", *words)

    assert (ran.status, ran.out.split()[0], ran.err) == (status, verdict, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "give exactly one of CALL, --tool, --batch, --interactive: none was given"),
        (
            ("Bash(ls)", "--interactive"),
            "give exactly one of CALL, --tool, --batch, --interactive: not CALL and --interactive",
        ),
        (("git status",), "`git status` is not a call: expected `Tool` or `Tool(specifier)`"),
        (("Bash(ls)", "--mode", "turbo"), "unknown mode `turbo`: expected one of plan, default,"),
        (("Bash(ls)", "--preset", "turbo"), "unknown preset `turbo`: expected one of assent, chat,"),
        (("--tool", "Bash", "--args", "[]"), "--args must be a JSON object"),
        (("--tool", "Bash", "--args", '{"a": 1, "a": 2}'), "duplicate key `a`"),
        (("--tool", "Bash", "--args", '{"a": NaN}'), "NaN is not a JSON number"),
        (("Bash(ls)", "--args", "{}"), "--args needs --tool"),
        (("Bash(ls)", "--policy", "none.toml"), "cannot use none.toml: no such file or directory"),
        (("--batch", "-", "--mode", "turbo"), "each line of a batch has its own policy: remove --mode"),
        (("--batch", "-", "--policy", "x"), "each line of a batch has its own policy: remove --policy"),
        (("--batch", "none.jsonl"), "cannot read `none.jsonl`: no such file or directory"),
    ],
)
def test_a_mistake_is_reported_in_one_line_and_nothing_is_decided(
    sandbox: CommandSandbox, words: tuple[str, ...], message: str
) -> None:
    ran = sandbox.run("check", *words)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("assent: ")
    assert message in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("call", "near"), [("Bsh(ls)", "did you mean `Bash`? "), ("nobody.knows(x)", ""), ("Bash(ls)", None)]
)
def test_an_unknown_tool_gets_a_hint(sandbox: CommandSandbox, call: str, near: str | None) -> None:
    lines = sandbox.run("check", call).out.splitlines()

    assert lines[1:] == (
        [] if near is None else [f"        {near}declare a tool of your own under [tools] in the policy file"]
    )


@pytest.mark.parametrize("words", [("--nonsense",), ("Bash(ls)", "--mod", "plan"), ("a", "b")])
def test_a_usage_error_is_status_2(sandbox: CommandSandbox, words: tuple[str, ...]) -> None:
    ran = sandbox.run("check", *words)

    assert (ran.status, ran.out) == (2, "")
    assert "Usage: assent check" in ran.err
    assert ran.err.splitlines()[-1].startswith("assent: ")


@pytest.mark.proves("T-10")
@pytest.mark.parametrize("words", [("check", "--\x1b[2J"), ("\x1b[2J",), ("rules", "test", "\x1b[2J")])
def test_error_messages_contain_no_escape_sequences(sandbox: CommandSandbox, words: tuple[str, ...]) -> None:
    ran = sandbox.run(*words)

    assert ran.status == 2
    assert "\x1b" not in ran.err
    assert "1b[2J" in ran.err


def test_json_output_is_one_document_with_the_decision(sandbox: CommandSandbox) -> None:
    ran = sandbox.run("check", "Bash(npm run build)", "--json")

    found = json.loads(ran.out)
    assert (ran.status, found["verdict"], found["stage"], found["always_offered"]) == (4, "ask", "mode", True)
    assert found["steps"] == [{"stage": "mode", "verdict": "ask", "reason": found["because"]}]


def test_explain_shows_every_step_the_deciding_step_and_a_rule_that_avoids_asking(
    sandbox: CommandSandbox,
) -> None:
    policy = sandbox.write_file("policy.toml", 'allow = ["Bash(npm run *)"]\n')

    ran = sandbox.run("check", "Bash(npm run build && make dist)", "--explain", "--policy", str(policy))

    assert ran.status == 4
    assert ran.lines == [
        "ask  Bash(npm run build && make dist)",
        "     `make dist` runs this project's code",
        "",
        "> ask     mode  `make dist` runs this project's code",
        "                part: make dist",
        "",
        "this would have avoided the question:",
        "  allow Bash(make dist)",
    ]


def test_explain_names_the_part_that_a_rule_matched(sandbox: CommandSandbox) -> None:
    policy = sandbox.write_file("policy.toml", '[[deny]]\nrule = "Bash(rm *)"\nwhy = "use trash"\n')

    ran = sandbox.run("check", "Bash(ls && rm x)", "--explain", "--policy", str(policy))

    assert ran.status == 3
    assert ran.lines[0] == "deny  Bash(ls && rm x)"
    assert f"> deny    deny-rule  deny rule `Bash(rm *)` ({policy}, line 2): use trash" in ran.lines
    assert "part: rm x" in ran.out


def test_explain_says_if_no_rule_can_avoid_the_question(sandbox: CommandSandbox) -> None:
    ran = sandbox.run("check", "Bash(rm -rf /)", "--explain", "--mode", "auto")

    assert ran.status == 4
    assert "> ask     breaker" in ran.out
    assert ran.lines[-1] == "no rule can avoid this question"


def test_explain_does_not_claim_that_no_rule_can_help_where_one_can_be_written(
    sandbox: CommandSandbox,
) -> None:
    ran = sandbox.run("check", 'Bash(python3 -c "print(open(1))")', "--explain")

    assert ran.lines[-1] == "Assent suggests no rule for this call"


# ---- choosing the policy ------------------------------------------------------------------------


def test_the_policy_files_of_the_current_directory_apply(sandbox: CommandSandbox) -> None:
    sandbox.write_user_file('allow = ["Bash(npm *)"]\n')
    sandbox.write_file(".assent/config.toml", 'deny = ["Bash(npm pack *)"]\n')

    assert sandbox.run("check", "Bash(npm test)").status == 0
    assert sandbox.run("check", "Bash(npm pack x)").status == 3


@pytest.mark.proves("T-12")
def test_an_untrusted_repository_loosens_nothing_and_a_warning_says_so(sandbox: CommandSandbox) -> None:
    sandbox.write_file(".assent/config.toml", 'mode = "auto"\nallow = ["Bash"]\n')

    ran = sandbox.run("check", "Bash(npm test)")

    assert ran.status == 4
    assert ran.err == (
        "assent: the repository's own files are not trusted, so this has no effect: "
        "allow Bash and 1 more; see `assent config trust`\n"
    )


@pytest.mark.proves("T-19")
def test_a_policy_that_other_users_can_write_is_refused(sandbox: CommandSandbox) -> None:
    path = sandbox.write_user_file('allow = ["Bash"]\n', mode=0o666)

    ran = sandbox.run("check", "Bash(npm test)")

    assert (ran.status, ran.out) == (2, "")
    assert (
        ran.err == f"assent: cannot use {path}: other users may write to `{path}`; run `chmod go-w {path}`\n"
    )


@pytest.mark.proves("R-13")
@pytest.mark.parametrize("text", ["deny = [", 'deny = "Bash"', 'denny = ["Bash"]', 'deny = ["Bahs"]', ""])
def test_with_an_invalid_policy_nothing_is_decided(sandbox: CommandSandbox, text: str) -> None:
    path = sandbox.write_user_file(text)

    ran = sandbox.run("check", "Bash(ls)")

    assert (ran.status, ran.out) == (2, "")
    assert str(path) in ran.err
    assert ran.err.count("\n") == 1


def test_a_policy_can_be_read_from_a_pipe(sandbox: CommandSandbox) -> None:
    shell = f"{ASSENT_PROGRAM} check 'Bash(make)' --policy <(echo 'allow = [\"Bash(make *)\"]')"
    run = subprocess.run(
        ["bash", "-c", shell], cwd=sandbox.root, env=sandbox.environment(), capture_output=True, check=False
    )

    assert (run.returncode, run.stderr) == (0, b"")


def test_a_deleted_current_directory_is_a_clear_error(sandbox: CommandSandbox) -> None:
    shell = f"mkdir gone && cd gone && rmdir ../gone && {ASSENT_PROGRAM} check 'Bash(ls)'"
    run = subprocess.run(
        ["bash", "-c", shell], cwd=sandbox.root, env=sandbox.environment(), capture_output=True, check=False
    )

    assert run.returncode == 2
    assert run.stderr == b"assent: the current directory no longer exists; change to one that exists\n"


def test_the_environment_and_flags_choose_the_mode(sandbox: CommandSandbox) -> None:
    assert sandbox.run("check", "Bash(make)", ASSENT_MODE="plan").status == 3
    assert sandbox.run("check", "Bash(make)", "--mode", "auto", ASSENT_MODE="plan").status == 0
    assert sandbox.run("check", "Bash(make)", ASSENT_MODE="turbo").status == 2


def test_settings_of_claude_code_can_be_the_policy(sandbox: CommandSandbox) -> None:
    permissions = {"allow": ["Bash(npm run test:*)"], "deny": ["Bash(curl:*)"], "defaultMode": "default"}
    path = str(sandbox.write_file("settings.json", json.dumps({"permissions": permissions})))

    assert sandbox.run("check", "Bash(npm run test --watch)", "--policy", path).status == 0
    assert sandbox.run("check", "Bash(npm run other)", "--policy", path).status == 4
    assert sandbox.run("check", "Bash(bash -c 'curl x')", "--policy", path).status == 3


def test_tiers_apply_to_the_named_agent(sandbox: CommandSandbox) -> None:
    path = str(sandbox.write_file("policy.toml", '[tiers.clerk]\nBash = "blocked"\n'))

    assert sandbox.run("check", "Bash(ls)", "--policy", path, "--agent", "clerk").status == 3
    assert sandbox.run("check", "Bash(ls)", "--policy", path, "--agent", "other").status == 0


@pytest.mark.proves("T-27")
def test_paths_are_resolved_on_disk(sandbox: CommandSandbox) -> None:
    (sandbox.root / "out").symlink_to("/etc")

    assert sandbox.run("check", "Read(notes.txt)").status == 0
    assert sandbox.run("check", "Read(out/passwd)").status == 4
    assert sandbox.run("check", "Bash(cat out/passwd)").status == 4


@pytest.mark.proves("T-32")
def test_git_reads_ask_only_where_an_untrusted_repository_names_a_program(sandbox: CommandSandbox) -> None:
    subprocess.run(["git", "init", "-q", str(sandbox.root)], check=True)
    assert sandbox.run("check", "Bash(git status)").status == 0

    subprocess.run(["git", "-C", str(sandbox.root), "config", "core.fsmonitor", "./x"], check=True)
    ran = sandbox.run("check", "Bash(git status)")

    assert ran.status == 4
    assert "but runs what `core.fsmonitor` in `.git/config` names" in ran.out


# ---- output -------------------------------------------------------------------------------------

HOSTILE_TEXTS = {
    "colour": "\x1b[31mred",
    "title": "\x1b]0;owned\x07",
    "clipboard": "\x1b]52;c;ZXZpbA==\x07",
    "link": "\x1b]8;;http://evil\x1b\\x",
    "8-bit control": "\x9b31m",
    "carriage return": "ls\rrm",
    "backspaces": "rm\x08\x08ls",
    "bidirectional": "a\u202eb",
    "zero width": "l\u200bs",
    "tag": "ls\U000e0041",
    "newlines": "ls\n\n\nrun  all is well",
}


@pytest.mark.proves("T-10", "T-8", "R002-43", "R003-78")
@pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
@pytest.mark.parametrize("flag", ["--explain", "--json"])
def test_nothing_in_a_call_reaches_the_terminal_unescaped(
    sandbox: CommandSandbox, text: str, flag: str
) -> None:
    ran = sandbox.run("check", f"Bash({text})", flag)

    raw = (ran.out + ran.err).replace("\n", "")
    assert [character for character in raw if not character.isprintable()] == []
    assert "\nrun  all is well" not in ran.out


@pytest.mark.proves("T-10")
def test_nothing_in_a_policy_reaches_the_terminal_unescaped(sandbox: CommandSandbox) -> None:
    path = sandbox.write_file("policy.toml", '[[deny]]\nrule = "Bash(x)"\nwhy = "\\u001b[2J\\u202e"\n')

    ran = sandbox.run("check", "Bash(x)", "--explain", "--policy", str(path))

    assert "\\u001b[2J\\u202e" in ran.out
    assert "\x1b" not in ran.out


def test_colours_follow_the_environment_variables(sandbox: CommandSandbox) -> None:
    def output_of_check(**environ: str) -> str:
        return sandbox.run("check", "Bash(ls)", **environ).out

    assert "\x1b[" not in output_of_check()
    assert output_of_check(FORCE_COLOR="1").startswith("\x1b[32mrun\x1b[0m")
    assert "\x1b[" not in output_of_check(FORCE_COLOR="1", NO_COLOR="1")


def test_check_works_in_a_terminal_without_unicode(sandbox: CommandSandbox) -> None:
    ran = sandbox.run("check", "Bash(echo é)", LANG="C", LC_ALL="C", PYTHONIOENCODING="ascii")

    assert (ran.status, "\\xe9" in ran.out) == (0, True)


def test_help_explains_the_exit_statuses(sandbox: CommandSandbox) -> None:
    ran = sandbox.run("check", "--help")

    assert ran.status == 0
    assert "Exit status: 0 run, 3 deny or absent, 4 ask, 2 nothing was decided" in " ".join(ran.out.split())


# ---- imported modules ---------------------------------------------------------------------------

UNNEEDED_MODULES = {
    "asyncio", "click", "importlib.metadata", "importlib.resources", "inspect", "logging", "pathlib", "shutil",
    "socket", "sqlite3", "subprocess", "tempfile", "threading", "tomllib", "urllib",
}  # fmt: skip
PARSER_MODULES = {"tree_sitter", "assent.engine.bash.walk", "assent.engine.powershell.language"}


def imported_modules(sandbox: CommandSandbox, *words: str) -> set[str]:
    source = (
        "import sys\nfrom assent.cli import main\nmain(sys.argv[1:])\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    command = [sys.executable, "-c", source, "check", *words]
    run = subprocess.run(
        command, cwd=sandbox.root, env=sandbox.environment(), capture_output=True, text=True, check=True
    )
    return set(run.stderr.split())


def test_a_check_loads_nothing_that_it_does_not_need(sandbox: CommandSandbox) -> None:
    modules = imported_modules(sandbox, "Bash(ls -la | grep x)")

    assert (UNNEEDED_MODULES | PARSER_MODULES) & modules == set()
    assert {name for name in modules if name.startswith("assent.")} <= {
        name
        for name in modules
        if name.startswith(("assent.cli", "assent.config", "assent.engine", "assent.errors"))
    }
    assert len(modules) < 187


def test_a_check_with_a_policy_file_loads_only_few_more_modules(sandbox: CommandSandbox) -> None:
    without = imported_modules(sandbox, "Bash(ls)")
    path = sandbox.write_file("policy.toml", 'deny = ["Bash(rm *)"]\n')

    more = imported_modules(sandbox, "Bash(ls)", "--policy", str(path)) - without

    assert "tomllib" in more
    assert (UNNEEDED_MODULES - {"inspect", "tomllib"}) & more == set()


@pytest.mark.proves("T-49")
def test_an_irreversible_act_is_explained_and_is_a_code_in_json(command: Command) -> None:
    explained = command("check", "--explain", "Bash(kubectl delete namespace prod)")
    told = json.loads(command("check", "--json", "Bash(kubectl delete namespace prod)").out)
    plain = json.loads(command("check", "--json", "Bash(kubectl get pods)").out)

    assert "     cannot be undone: deletes the namespace `prod`" in explained.lines
    assert told["irreversible"] == [{"code": "deletes", "values": {"kind": "namespace", "name": "prod"}}]
    assert "irreversible" not in plain


def test_the_console_script_is_installed_beside_python() -> None:
    assert subprocess.run([ASSENT_PROGRAM, "--version"], capture_output=True, check=True).stdout.startswith(
        b"assent "
    )


ASKING_LINE = '{"id": "a", "tool": "x"}'
READING_LINE = '{"id": "b", "tool": "x", "effect": "read"}'


def result_words(ran: CommandResult) -> list[str]:
    found = [json.loads(line) for line in ran.lines]
    return [f"{one.get('id')} {one.get('verdict', 'error')}" for one in found]


def test_batch_results_have_the_order_of_the_lines(sandbox: CommandSandbox) -> None:
    ran = sandbox.run("check", "--batch", "-", stdin=f"{ASKING_LINE}\n{READING_LINE}\n{ASKING_LINE}\n")

    assert (ran.status, ran.err) == (0, "")
    assert result_words(ran) == ["a ask", "b run", "a ask"]


def test_a_batch_can_be_a_file(sandbox: CommandSandbox) -> None:
    path = sandbox.write_file("calls.jsonl", f"{READING_LINE}\r\n{READING_LINE}")

    ran = sandbox.run("check", "--batch", str(path))

    assert (ran.status, result_words(ran)) == (0, ["b run", "b run"])


def test_an_empty_batch_succeeds(sandbox: CommandSandbox) -> None:
    ran = sandbox.run("check", "--batch", "-", stdin="")

    assert (ran.status, ran.out) == (0, "")


def test_a_malformed_line_gets_an_error_and_the_others_are_decided(sandbox: CommandSandbox) -> None:
    lines = [
        READING_LINE,
        "not json",
        '{"id": 3, "tool": "x", "effect": "nice"}',
        '{"id": 4, "tool": "x", "rules": {"deny": ["x("]}}',
        "[]",
        '{"id": 6, "id": 6, "tool": "x"}',
        "",
        '{"id": 8}',
        ASKING_LINE,
    ]

    ran = sandbox.run("check", "--batch", "-", stdin="\n".join(lines) + "\n\n  \n")

    assert ran.status == 2
    assert result_words(ran) == [
        "b run", "None error", "3 error", "4 error", "None error", "None error", "None error", "8 error",
        "a ask",
    ]  # fmt: skip
    assert [json.loads(line)["error"] for line in (ran.lines[2], ran.lines[7])] == [
        "unknown effect `nice`: expected one of read, edit, write, execute, external, destructive",
        "field `tool` is missing",
    ]


@pytest.mark.proves("R-18", "T-35")
@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe", b'{"tool": "\x00"}', b'{"tool": "x", "specifier": "\\ud800"}', b"[" * 100_000,
        b'{"tool": "x", "args": {"n": ' + b"9" * 5_000 + b"}}", b'{"tool": "x", "args": {"n": NaN}}',
        b'{"tool": "x", "args": ' + b'{"a":' * 70 + b"1" + b"}" * 71,
    ],
    ids=["bytes", "NUL", "surrogate", "deep", "long number", "NaN", "deep object"],
)  # fmt: skip
def test_hostile_lines_cause_errors_and_no_crashes(sandbox: CommandSandbox, line: bytes) -> None:
    ran = sandbox.run("check", "--batch", "-", stdin=line + b"\n" + READING_LINE.encode())

    assert (ran.status, result_words(ran)) == (2, ["None error", "b run"])
    assert ran.err == ""


@pytest.mark.proves("R-18")
def test_an_oversized_line_is_refused_and_the_next_line_is_decided(
    sandbox: CommandSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    too_long = b'{"tool": "' + b"x" * 25_000_000 + b'"}\n'

    ran = sandbox.run("check", "--batch", "-", stdin=too_long + READING_LINE.encode())

    assert (ran.status, result_words(ran)) == (2, ["None error", "b run"])
    assert "larger than 10000000 bytes" in ran.lines[0]


def test_each_result_is_printed_before_the_next_line_is_read(sandbox: CommandSandbox) -> None:
    command = [ASSENT_PROGRAM, "check", "--batch", "-"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=sandbox.root
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        found = []
        for line in (ASKING_LINE, READING_LINE):
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
            found.append(json.loads(process.stdout.readline())["verdict"])
        process.stdin.close()

    assert found == ["ask", "run"]


def test_a_batch_ignores_the_policy_of_the_current_directory(sandbox: CommandSandbox) -> None:
    sandbox.write_user_file('deny = ["x"]\n')

    assert result_words(sandbox.run("check", "--batch", "-", stdin=READING_LINE)) == ["b run"]


@pytest.mark.proves("T-10")
def test_batch_output_is_plain_ascii(sandbox: CommandSandbox) -> None:
    record = {"id": "\x7f\x9b\u202e", "tool": "x", "effect": "nice\x1b[2J"}

    ran = sandbox.run("check", "--batch", "-", stdin=json.dumps(record, ensure_ascii=False))

    assert ran.out.rstrip("\n").isascii()
    assert ran.out.rstrip("\n").isprintable()
    assert json.loads(ran.out)["id"] == record["id"]


def test_a_closed_output_pipe_causes_no_traceback(sandbox: CommandSandbox) -> None:
    path = sandbox.write_file("calls.jsonl", f"{ASKING_LINE}\n" * 2_000)

    shell = f"{ASSENT_PROGRAM} check --batch {path} | head -n 1 >/dev/null; echo ${{PIPESTATUS[0]}}"
    run = subprocess.run(
        ["bash", "-c", shell],
        cwd=sandbox.root,
        env=sandbox.environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert (run.stdout, run.stderr) == ("141\n", "")


@pytest.mark.proves("T-23")
def test_an_exception_during_a_decision_becomes_an_error_record(monkeypatch: pytest.MonkeyPatch) -> None:
    def raise_zero_division(_record: object) -> dict[str, object]:
        raise ZeroDivisionError("what now")

    monkeypatch.setattr(check_records, "decide_record", raise_zero_division)

    assert decide_line(b'{"id": 1, "tool": "x"}') == {
        "id": 1,
        "error": "cannot be decided: ZeroDivisionError: what now",
    }


@pytest.mark.parametrize("name", CheckOptions._fields)
def test_the_plain_parser_and_click_parse_each_option_alike(name: str) -> None:
    params = {one.name: one for one in check_command.get_params(click.Context(check_command))}
    param = params[name]
    is_flag = isinstance(param, click.Option) and param.is_flag
    words = [param.opts[0]] if is_flag else [*(param.opts if name != "call" else ()), "value"]

    parsed_by_click = CheckOptions(**check_command.make_context("check", list(words)).params)

    assert (
        parse_plain_options(words) == parsed_by_click == CheckOptions()._replace(**{name: is_flag or "value"})
    )


def test_the_plain_parser_never_parses_a_line_differently_from_click() -> None:
    chance = random.Random("two parsers")
    params = check_command.get_params(click.Context(check_command))
    options = [option for param in params for option in param.opts if option.startswith("--")]
    values = ["value", "other", "-", "--", "", "-x", "Bash(ls *)", "a=b", "--mode=plan", "--mo", "-h"]
    parsed = 0

    for _ in range(2_000):
        words = chance.choices([*options, *options, *values], k=chance.randint(0, 5))
        plain = parse_plain_options(words)
        if plain is not None:
            parsed += 1
            by_click = check_command.make_context("check", list(words)).params
            assert plain == CheckOptions(**by_click), words

    assert parsed > 100


def test_the_plain_parser_and_click_know_the_same_options() -> None:
    params = check_command.get_params(click.Context(check_command))

    assert sorted(one.name or "" for one in params if "--help" not in one.opts) == sorted(
        CheckOptions._fields
    )
