"""Every entry of the catalog refuses unlisted flags, whatever their spelling."""

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from string import ascii_letters, digits

import pytest

from assent.engine.lines.reading import find_reads
from assent.engine.policy.verdict import Verdict
from assent.engine.programs import catalog
from assent.engine.programs.catalog import command_spellings
from assent.engine.programs.flags import FlagList, parse_flags
from assent.engine.programs.program import Program, ReadCommands, ReadEntry, Reads
from assent.engine.programs.word import Word
from tests.engine.given import decide_call, make_snapshot, shell_call
from tests.engine.programs.lines import PROGRAMS
from tools import programs

Path = tuple[str, ...]

# To these a word that looks like a flag is only text.
ONLY_TEXT = {"echo", "true", "false", ":", "expr", "test", "[", "[["}
# What a check may ask for before it accepts anything.
STARTS = (
    "", "notes.txt", "+%F", "1", "status", "-0", "x=1", "README.md notes.txt", "a/b", "HOME", "-t", "tf x",
    "-l", "p x", ". notes.txt", "1p", "{print}", "--version", "list", "name", "%s", "--list", "-q", "-Q",
    "nginx status", "ps", "-e", "./chart", "--locked",
)  # fmt: skip
# Elsewhere a list may be made of others, and then the last word on a flag counts.
WRITTEN_OUT = {
    name for name, topic in catalog.TOPICS.items() if topic in ("files", "text", "system", "shell")
}

every_topic = pytest.mark.parametrize("topic", sorted(set(catalog.TOPICS.values())))
"""One test per topic, because a test for each of a thousand programs would be slow."""


@every_topic
def test_every_entry_accepts_something(topic: str) -> None:
    assert [
        path for path, entry in read_entries_of_topic(topic) if find_accepted_words(path, entry) is None
    ] == []


@pytest.mark.proves("T-21")
@every_topic
def test_an_unknown_flag_is_never_harmless(topic: str) -> None:
    accepted = [
        path
        for path, entry in read_entries_of_topic(topic)
        if is_accepted(path, "--no-such-flag", *(find_accepted_words(path, entry) or ()))
    ]

    assert [path for path in accepted if path[0] not in ONLY_TEXT] == []


@pytest.mark.proves("T-21")
@every_topic
def test_an_unlisted_flag_is_refused_short_long_bundled_or_abbreviated(topic: str) -> None:
    accepted = [
        (path, flag)
        for path, entry in read_entries_of_topic(topic)
        for flag in unlisted_flags(parse_flags(entry.flags))
        if entry.flags and is_accepted(path, flag, *(find_accepted_words(path, entry) or ()))
    ]

    assert accepted == []


@pytest.mark.proves("T-21")
@every_topic
def test_an_unlisted_flag_is_refused_behind_the_operands_too(topic: str) -> None:
    accepted = [
        (path, flag)
        for path, entry in read_entries_of_topic(topic)
        for flag in ("--no-such-flag", *unlisted_letters(parse_flags(entry.flags)))
        if entry.flags and is_accepted(path, *(find_accepted_words(path, entry) or ()), flag)
    ]

    assert accepted == []


@pytest.mark.proves("T-21")
@every_topic
def test_the_same_holds_for_flags_before_a_sub_command(topic: str) -> None:
    accepted = [
        (path, flag)
        for program in topic_programs(topic)
        for path, entry in iterate_subcommand_tables((program,), PROGRAMS[program])
        for flag in unlisted_flags(parse_flags(entry.flags))
        if is_accepted(path, flag) or any(is_accepted(path, flag, name) for name in entry.commands)
    ]

    assert accepted == []


@every_topic
def test_a_listed_flag_is_accepted(topic: str) -> None:
    refused = [
        (path, name)
        for path, entry in read_entries_of_topic(topic)
        for name, flag in parse_flags(entry.flags).known.items()
        if not entry.check
        and not is_accepted(
            path,
            name,
            *(["1"] if flag.value else []),
            *(() if entry.only else find_accepted_words(path, entry) or ()),
        )
    ]

    assert refused == []


@every_topic
def test_a_flag_list_can_be_read(topic: str) -> None:
    for path, entry in read_entries_of_topic(topic):
        tokens = set(entry.flags.split())
        names = [token.rstrip("=?<^:") for token in tokens]

        assert [name for name in names if not re.fullmatch(r"-[\w@.]|--?\w[\w.-]*(=\w+)?|\w+", name)] == []
        assert path[0] not in WRITTEN_OUT or len(names) == len(set(names))


@every_topic
def test_flags_that_an_entry_mentions_are_listed(topic: str) -> None:
    for _, entry in read_entries_of_topic(topic):
        listed = entry.flags or f"{entry.flags} {entry.lists_without}"
        known = parse_flags(listed).known
        spoken_of = f"{entry.needs} {entry.lists_with} {entry.lists_without}"

        assert [flag for flag in spoken_of.split() if flag not in known] == []


@every_topic
def test_a_check_that_is_named_exists(topic: str) -> None:
    assert {entry.check for _, entry in read_entries_of_topic(topic)} <= {"", *catalog.CHECK_MODULES}


def test_after_two_dashes_nothing_is_a_flag() -> None:
    assert is_accepted(("sort",), "--", "-o", "notes.txt")
    assert is_accepted(("tree",), "--", "-o")
    assert is_accepted(("rg",), "--", "--pre")


@pytest.mark.parametrize("program", ["/bin/ls", "/usr/bin/ls", "/opt/homebrew/bin/ls", "ls"])
def test_a_program_is_known_by_its_name_and_by_the_paths_of_the_system(program: str) -> None:
    assert catalog.find_read_entry(program) is PROGRAMS["ls"]


@pytest.mark.parametrize(
    "program", ["./ls", "bin/ls", "/tmp/ls", "/usr/bin/../../tmp/ls", "~/bin/ls", "/home/x/ls"]
)
def test_a_program_of_the_same_name_elsewhere_is_not_known(program: str) -> None:
    assert catalog.find_read_entry(program) is None


@every_topic
def test_a_program_is_found_in_the_module_that_knows_it(topic: str) -> None:
    assert [
        name for name in topic_programs(topic) if catalog.find_read_entry(name) is not PROGRAMS[name]
    ] == []


def test_the_index_agrees_with_the_topics() -> None:
    assert programs.INDEX_FILE.read_text("utf-8") == programs.index_text()


def test_nothing_is_known_about_a_program_without_an_entry() -> None:
    assert catalog.find_program("no-such-program") == Program("")


@pytest.mark.parametrize("check", catalog.CHECK_MODULES)
def test_a_check_is_found_by_its_name(check: str) -> None:
    assert callable(catalog.find_check_function(check))


@pytest.mark.parametrize("home", sorted(set(catalog.CHECK_MODULES.values())))
def test_every_check_of_a_module_is_known_to_be_there(home: str) -> None:
    module = import_module(f"assent.engine.programs.checks.{home}")

    assert [check for check in catalog.CHECK_MODULES if catalog.CHECK_MODULES[check] == home] == list(
        module.CHECKS
    )


def test_every_program_has_a_topic() -> None:
    assert PROGRAMS.keys() <= catalog.TOPICS.keys()


def topic_programs(topic: str) -> list[str]:
    """The programs whose entries are in one module."""
    return [name for name in PROGRAMS if catalog.TOPICS[name] == topic]


@lru_cache
def read_entries_of_topic(topic: str) -> tuple[tuple[Path, Reads], ...]:
    """Each read entry of a topic, with the words that lead to it. Entries of sub-commands are included."""
    return tuple(
        leaf for name in topic_programs(topic) for leaf in _iterate_read_entries((name,), PROGRAMS[name])
    )


def _iterate_read_entries(path: Path, entry: ReadEntry) -> Iterator[tuple[Path, Reads]]:
    match entry:
        case ReadCommands():
            for name, inner in entry.commands.items():
                yield from _iterate_read_entries((*path, name), inner)
        case Reads():
            yield path, entry


def iterate_subcommand_tables(path: Path, entry: ReadEntry) -> Iterator[tuple[Path, ReadCommands]]:
    if isinstance(entry, ReadCommands):
        yield path, entry
        for name, inner in entry.commands.items():
            yield from iterate_subcommand_tables((*path, name), inner)


def is_accepted(path: Path, *rest: str) -> bool:
    return find_reads(tuple(map(Word, (*path, *rest)))) is not None


@lru_cache(maxsize=4096)
def find_accepted_words(path: Path, entry: Reads) -> Path | None:
    """Some words that the entry accepts."""
    if entry.only:
        return (next(iter(parse_flags(entry.flags).known)),)
    need = entry.needs.split()[:1]
    if need and parse_flags(entry.flags).known[need[0]].value:
        need = [*need, "1"]
    return next((words for rest in STARTS if is_accepted(path, *(words := (*need, *rest.split())))), None)


def unlisted_flags(flags: FlagList) -> list[str]:
    """Flags that are not listed."""
    return ["--no-such-flag", "--no-such-flag=x", *abbreviated_flags(flags), *unlisted_letters(flags)]


def abbreviated_flags(flags: FlagList) -> Iterator[str]:
    for name, flag in flags.known.items():
        if name.startswith("--") and "=" not in name:
            for end in range(3, len(name)):
                if name[:end] not in flags.known:
                    yield name[:end]
                    if flag.value or flag.optional:
                        yield name[:end] + "=x"


def unlisted_letters(flags: FlagList) -> Iterator[str]:
    """Each letter and digit that is not listed: alone, and before or after a listed letter."""
    known = [
        name[1] for name, flag in flags.known.items() if len(name) == 2 and not (flag.value or flag.optional)
    ]
    for letter in ascii_letters + digits:
        if "-" + letter in flags.known or (flags.number and letter.isdecimal()):
            continue
        yield "-" + letter
        for other in known[:1]:
            yield "-" + other + letter
            yield "-" + letter + other


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("docker rm *", "docker -H tcp://h container remove x"),
        ("docker container rm *", "docker rm x"),
        ("docker ps*", "docker container ls -a"),
        ("docker run *", "docker container run alpine"),
        ("docker compose down*", "docker-compose -f a.yml down -v"),
        ("npm install *", "npm i x"),
        ("npm i *", "npm --prefix d add x"),
        ("npm test*", "npm t"),
        ("npx *", "npm exec -- x"),
        ("pip install *", "python3.11 -I -m pip install x"),
        ("pip install *", "pip3 install x"),
        ("pip install *", "python -mpip install x"),
        ("pip install *", "python -W ignore -Im pip install x"),
        ("npm publish*", "npm pub --access public"),
        ("python *", "/usr/bin/python3.12 a.py"),
        ("pytest *", "python -m pytest -q"),
        ("yarn run deploy*", "yarn deploy:all"),
        ("pnpm deploy*", "pnpm run deploy"),
        ("kubectl delete pod *", "kubectl -n x delete po/a"),
        ("kubectl delete namespace *", "oc delete ns prod"),
        ("apt install *", "apt-get -y install x"),
        ("helm uninstall *", "helm delete x"),
        ("terraform destroy*", "terraform apply -destroy"),
        ("chmod 777 *", "chmod -R a+rwx x"),
    ],
)
def test_a_deny_rule_applies_to_every_spelling(rule: str, line: str) -> None:
    snapshot = make_snapshot(allow=["terminal.exec"], deny=[f"terminal.exec({rule})"])

    assert decide_call(shell_call(line), snapshot).verdict is Verdict.DENY


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("docker rm *", "docker image ls"),
        ("npm test*", "npm team ls"),
        ("npm install *", "npm ls"),
        ("yarn run *", "yarn install"),
        ("kubectl delete pod *", "kubectl delete svc a"),
        ("pip install *", "python -m venv x"),
        ("pip install *", "python -mvenv x"),
        ("npm publish*", "npm pack"),
    ],
)
def test_a_deny_rule_does_not_apply_to_other_commands(rule: str, line: str) -> None:
    snapshot = make_snapshot(allow=["terminal.exec"], deny=[f"terminal.exec({rule})"])

    assert decide_call(shell_call(line), snapshot).verdict is Verdict.RUN


@pytest.mark.proves("T-20")
@pytest.mark.parametrize(
    ("rule", "line"), [("npm install *", "npm i x"), ("pip install *", "pip3 install x")]
)
def test_an_allow_rule_covers_only_its_own_spelling(rule: str, line: str) -> None:
    assert (
        decide_call(shell_call(line), make_snapshot(allow=[f"terminal.exec({rule})"])).verdict is Verdict.ASK
    )


def test_a_pattern_of_another_program_has_one_spelling() -> None:
    assert command_spellings(("make", "*")) == (("make", "*"),)


def test_a_pattern_without_the_name_of_a_script_gets_no_run() -> None:
    assert not [one for one in command_spellings(("yarn", "*")) if "run" in one]
    assert not [one for one in command_spellings(("pnpm",)) if "run" in one]


@pytest.mark.parametrize(
    ("pattern", "other"),
    [
        ("/usr/bin/npm test", "npm t"),
        ("pip install x", "uv pip install x"),
        ("pytest -q", "py* -m pytest -q"),
        ("yarn deploy", "yarn run deploy"),
        ("yarn run deploy", "yarn deploy"),
        ("kubectl delete ns a", "oc delete namespace a"),
        ("kubectl delete ns a", "kubectl delete namespaces/a"),
    ],
)
def test_a_pattern_has_the_other_spellings_of_its_command(pattern: str, other: str) -> None:
    assert tuple(other.split()) in command_spellings(tuple(pattern.split()))
