"""Suggestions never widen: a rule that was suggested for a call covers no other code and no other effect.

Each suggestion for a command of the corpora is tried on mutations of its own call. An exact one may cover none of
them; a wider one may cover other flags and targets, which is the width that a person chose, but no other input,
variables or directory.
"""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import pytest

from assent.engine.base.tool import Call, Tool
from assent.engine.lines.line import load_language
from assent.engine.lines.part import Part
from assent.engine.parsing import parse_call
from assent.engine.policy.verdict import Verdict
from assent.engine.programs.runs import InputUse
from assent.engine.suggestions import RuleWidth, Suggestion, suggestions
from tests.conftest import IS_DEEP_RUN
from tests.corpus.corpus_rows import CORPORA, ORIGINS, load_rows
from tests.engine import given
from tests.engine.test_suggestions import accept_suggestion

MUTATIONS = 50_000 if IS_DEEP_RUN else 2_500
BASH, POWERSHELL = "bash", "powershell"
TOOLS = {BASH: given.SHELL, POWERSHELL: given.POWERSHELL}
INPUTS = {
    BASH: (
        "{} <<'END'\nimport os; os.system('id')\nEND",
        "{} <<< 'rm -rf x'",
        "{} < other.txt",
        "cat other.txt | {}",
        "{{ {}\n}} < other.txt",
        "exec < other.txt; {}",
        "while read line; do {}\ndone < other.txt",
        "{} <&3",
        "{} <> other.txt",
        "run() {{ {}\n}}; run < other.txt",
    ),
    POWERSHELL: ("'import os' | {}", "Get-Content other.txt | {}", "@'\nimport os\n'@ | {}"),
}
VARIABLES = {
    BASH: (
        "PATH=/tmp/x:$PATH {}",
        "LD_PRELOAD=/tmp/x.so {}",
        "PYTHONSTARTUP=/tmp/x.py {}",
        "NODE_OPTIONS='--require /tmp/x.js' {}",
        "GIT_SSH_COMMAND=/tmp/x {}",
        "BASH_ENV=/tmp/x {}",
        "export PATH=/tmp/x; {}",
        "DATABASE_URL=postgres://prod/shop {}",
    ),
    POWERSHELL: ("$env:PATH = 'C:\\x'; {}", "$env:NODE_OPTIONS = '--require x'; {}"),
}
DIRECTORY_CHANGES = {
    BASH: ("cd /tmp && {}", "cd / ; {}", "cd ../../..; {}", 'cd "$ELSEWHERE"; {}', "pushd /srv; {}"),
    POWERSHELL: ("Set-Location C:\\; {}", "cd ../../..; {}"),
}
OTHER_CHANGES = {
    BASH: (
        "{} --force",
        "{} -rf /srv",
        "{} '; id'",
        "{} $(id)",
        "{} > other.txt",
        "{} other",
        "{}x",
        "sudo {}",
        "{}; other",
    ),
    POWERSHELL: ("{} -Force", "{} other", "{} > other.txt", "{}; other"),
}


class SuggestionOrigin(NamedTuple):
    """A command of the corpora, the part that a suggestion is about, and the suggestion."""

    command: str
    shell: str
    part: Part
    suggestion: Suggestion


class Mutation(NamedTuple):
    """The same command with one change."""

    kind: str
    command: str


def iterate_mutations(origin: SuggestionOrigin) -> Iterator[Mutation]:
    """All mutations of the part, inserted into its line."""
    for kind, shapes in (
        ("input", INPUTS),
        ("variables", VARIABLES),
        ("directory", DIRECTORY_CHANGES),
        ("words", OTHER_CHANGES),
    ):
        # A `cd` in a pipe moves nothing but itself.
        moved = kind != "directory" or not (origin.part.command and origin.part.command.piped)
        for shape in shapes[origin.shell] if moved else ():
            mutated = shape.format(origin.part.text)
            yield Mutation(kind, origin.command.replace(origin.part.text, mutated))


def iterate_suggestion_origins() -> Iterator[SuggestionOrigin]:
    """The suggestions for the commands of all corpora, always in the same order."""
    known = dict.fromkeys(
        (row.command, row.shell) for name in ORIGINS for corpus in CORPORA for row in load_rows(name, corpus)
    )
    # What a function of the line's own is called with is no other command.
    commands = [(one, shell) for one, shell in known if len(one) < 400 and not _defines_function(one)]
    Random(7).shuffle(commands)
    for command, shell in commands:
        call, snapshot = _shell_line_call(TOOLS[shell], command), given.make_snapshot(*TOOLS.values())
        for suggestion in suggestions(call, snapshot, given.make_facts(call, snapshot)):
            for part in _asking_parts(command, TOOLS[shell]):
                yield SuggestionOrigin(command, shell, part, suggestion)


def runs_because_of_suggestion(command: str, origin: SuggestionOrigin) -> bool:
    """Whether a command runs only because of the suggestion for another command."""
    tool = TOOLS[origin.shell]
    call, before = _shell_line_call(tool, command), given.make_snapshot(*TOOLS.values())
    after = accept_suggestion(before, origin.suggestion)
    return (
        given.decide_call(call, after).verdict is Verdict.RUN is not given.decide_call(call, before).verdict
    )


def is_harmless(mutation: Mutation, origin: SuggestionOrigin) -> bool:
    """Whether a mutation has the same meaning, or differs only in what the chosen width leaves open."""
    if mutation.kind == "input":
        # What every program of the command takes for data is no other code. A last star leaves it to the
        # caller what a program is given of which nothing is known.
        free = (
            (InputUse.DATA,)
            if origin.suggestion.width is RuleWidth.EXACT
            else (InputUse.DATA, InputUse.UNKNOWN)
        )
        return _input_uses(origin.part, TOOLS[origin.shell]).issubset(free)
    return mutation.kind == "words" and origin.suggestion.width is not RuleWidth.EXACT


@pytest.mark.proves("T-45")
def test_a_suggestion_covers_no_mutation_of_its_own_call() -> None:
    tried: Counter[str] = Counter()
    widened: list[tuple[str, tuple[str, ...], Mutation]] = []
    random = Random(11)
    for origin in iterate_suggestion_origins():
        every = list(iterate_mutations(origin))
        for mutation in every if IS_DEEP_RUN else random.sample(every, 3):
            tried[mutation.kind] += 1
            if runs_because_of_suggestion(mutation.command, origin) and not is_harmless(mutation, origin):
                texts = tuple(rule.text for rule in origin.suggestion.rules)
                widened.append((origin.command, texts, mutation))
        if tried.total() >= MUTATIONS:
            break

    assert widened == []
    assert tried.total() >= MUTATIONS
    assert min(tried[kind] for kind in ("input", "variables", "directory", "words")) > MUTATIONS // 20


@pytest.mark.proves("T-45")
@pytest.mark.parametrize(
    "command",
    [
        "bash", "sh -", "zsh -i", "sudo su", "sudo -i", "sudo -s", "sudo bash", "su", "su - app", "doas sh", "python3",
        "python3 -", "python3 -i", "node", "irb", "ssh host", "ssh -tt host", "docker exec -it c sh", "docker run -it img",
        "kubectl exec -it p -- bash", "xargs rm", "xargs -n1 git branch -D", "parallel rm", "psql", "mysql -u root",
        "sqlite3 app.db", "redis-cli", "at now", "kubectl apply -f -", "make -f -", "git apply", "nc host 80", "env bash",
        "timeout 60 bash", "nohup python3", "sh -c bash", "exec bash", "source /dev/stdin", "chroot /mnt", "nsenter -t 1",
        "vim", "gdb app", "tmux", "script -q out", "osascript", "powershell -", "cmd",
    ],
)  # fmt: skip
def test_no_rule_is_suggested_for_a_program_that_acts_on_its_input(command: str) -> None:
    call, snapshot = given.shell_call(command), given.make_snapshot()

    assert suggestions(call, snapshot, given.make_facts(call, snapshot)) == ()


def _input_uses(part: Part, tool: Tool) -> set[InputUse]:
    """How a part and its nested parts use their input."""
    found = {one for inner in part.nested for one in _input_uses(inner, tool)}
    if part.command is None or not part.command.words:
        return found
    return found | {load_language(tool.dialect).find_input_use(part.command)}


def _asking_parts(command: str, tool: Tool) -> list[Part]:
    """The parts for which a rule was needed; each occurs once in the line and runs a program."""
    parts = [part for part in parse_call(_shell_line_call(tool, command), tool).parts if not part.only_reads]
    running = [part for part in parts if part.command is not None and part.command.words]
    # What is put behind a redirection is no word of the command.
    return [one for one in running if command.count(one.text) == 1 and not _is_redirected(one)]


def _is_redirected(part: Part) -> bool:
    return part.command is not None and bool(part.command.redirects) and part.input is None


def _defines_function(command: str) -> bool:
    return "function " in command.lower() or "()" in command


def _shell_line_call(tool: Tool, command: str) -> Call:
    return Call(tool=tool.name, args={"command": command})
