"""Find the irreversible acts of one command, by its words and its input."""

import posixpath
from collections.abc import Iterator
from functools import lru_cache

from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.irreversible import sql
from assent.engine.irreversible.act import IrreversibleAct, join_names
from assent.engine.irreversible.words import (
    MAX_WORDS,
    find_operands,
    find_option_values,
    find_sub_command_end,
    has_flag,
    is_dry_run,
    is_flag,
)
from assent.engine.lines.command import Command, RedirectAccess
from assent.engine.lines.dangers import is_device
from assent.engine.programs.catalog import find_program
from assent.engine.programs.containers import RESOURCE_KINDS
from assent.engine.programs.losses import Loss, Losses, LossesBy, LossPattern
from assent.engine.programs.program import Damage
from assent.engine.programs.runs import RunsBy
from assent.engine.programs.word import base_name, without_version

_METHOD_OPTIONS = frozenset({"-X", "--request", "--method"})
_PROGRAM_EXTENSIONS = (".exe", ".cmd", ".bat", ".ps1")
REBUILT_NAMES = frozenset(
    """node_modules dist build out target coverage htmlcov __pycache__ venv env tmp temp obj .next .nuxt
    .output .svelte-kit .turbo .parcel-cache .cache .pytest_cache .mypy_cache .ruff_cache .tox .nox .venv
    .gradle .eggs .coverage .eslintcache .DS_Store .hypothesis .ipynb_checkpoints .terraform .angular .vite
    .stylelintcache DerivedData Pods bower_components _build cmake-build-debug cmake-build-release
    test-results playwright-report""".split()
)
"""Names of directories and files that tools can rebuild."""
_REBUILT_SUFFIXES = (
    ".pyc",
    ".pyo",
    ".o",
    ".obj",
    ".class",
    ".log",
    ".tmp",
    ".swp",
    ".egg-info",
    ".tsbuildinfo",
)
_TEMPORARY_DIRECTORIES = ("/tmp/", "/var/tmp/", "/private/tmp/")
_NAME_TESTS = frozenset({"-name", "-iname"})


def find_command_acts(command: Command) -> Iterator[IrreversibleAct]:
    """Yield the irreversible acts of a command, in any shell."""
    texts = [word.text for word in command.words[:MAX_WORDS]]
    if not texts:
        return
    name = catalog_name(texts[0])
    if find_program(without_version(name)).runs_modules and "-m" in texts[1:-1]:
        # `python3 -m twine upload` means `twine upload`.
        at = texts.index("-m")
        name, texts = texts[at + 1], texts[at + 1 :]
    script = _named_script(name, texts)
    if script:
        # `python3 manage.py flush` means `manage.py flush`.
        name, texts = base_name(texts[script]), texts[script:]
    if is_dry_run(texts[1:]):
        return
    yield from _acts_by_table(name, texts[1:], command)
    yield from _acts_by_function(name, texts[1:], command)


def _named_script(name: str, texts: list[str]) -> int:
    """The index of the script that an interpreter runs, if the acts of the script are known; otherwise 0."""
    if not find_program(without_version(name)).runs_named_script:
        return 0
    first = next((at for at, text in enumerate(texts) if at and not is_flag(text)), 0)
    return first if find_program(base_name(texts[first])).losses is not None else 0


@lru_cache(maxsize=1024)
def catalog_name(program: str) -> str:
    """The name of a program in the catalog: without directory and extension, in lower case."""
    name = base_name(program).lower()
    for extension in _PROGRAM_EXTENSIONS:
        name = name.removesuffix(extension)
    return name.partition(".")[0] if name.startswith(("mkfs.", "newfs.")) else name


def irreversible_examples(words: tuple[str, ...]) -> tuple[str, ...]:
    """Irreversible commands that a rule `words *` also covers, such as `git push --force` for `git push`."""
    if not words:
        return ()
    name = catalog_name(words[0])
    own = [text for text in words[1:] if not is_flag(text)]
    known = find_program(name)
    found = [
        " ".join(filter(None, (name, *spelled, *act.flags.split()[:1])))
        for act in (() if known.losses is None else known.losses.acts)
        if (spelled := _complete_command_words(act.words.split(), own)) is not None
    ]
    if known.losses_by is LossesBy.SQL and not own:
        found.append(f"{name} … DROP TABLE")
    return tuple(dict.fromkeys(found))


def find_file_removal_act(name: str, command: Command) -> IrreversibleAct | None:
    """The act of removing files; None if tools can rebuild all removed files.

    Files of builds, package managers and test runs are known by their usual names.
    """
    texts = [word.text for word in command.words[1:]]
    known = find_program(name)
    if known.runs_by is RunsBy.FOUND_FILES:
        tests = [texts[at + 1] for at, text in enumerate(texts[:-1]) if text in _NAME_TESTS]
        first = next((at for at, text in enumerate(texts) if is_flag(text) or text in "(!"), len(texts))
        lost = [] if tests and all(map(_is_build_result, tests)) else texts[:first] or ["."]
    else:
        lost = find_operands(texts, frozenset())[-1 if known.damage is Damage.SYNCHRONIZES else 0 :]
        if not lost and command.listing_roots is None and command.input_words is None and not command.piped:
            return None
    at_home = not any(directory.startswith(("/", "~", UNKNOWN_MARK)) for directory in command.directories)
    lost = [path for path in lost if not _can_be_rebuilt(path, at_home=at_home)]
    if not lost and find_operands(texts, frozenset()):
        return None
    return IrreversibleAct(
        Loss.REMOVES_FILES, "", join_names([path for path in lost if path != UNKNOWN_MARK])
    )


def _acts_by_table(name: str, texts: list[str], command: Command) -> Iterator[IrreversibleAct]:
    """Yield the act that the entry of the program describes."""
    losses = find_program(name).losses
    for act in () if losses is None else losses.acts:
        end = find_sub_command_end(texts, act.words.split())
        if end is None or (act.flags and not has_flag(texts[end:], act.flags.split())):
            continue
        if act.unless and has_flag(texts[end:], act.unless.split()):
            continue
        found = _build_act(name, losses or _NO_LOSSES, act, texts, end, command)
        if found is not None:
            yield found
            return


_NO_LOSSES = Losses(())


def _build_act(
    name: str, losses: Losses, act: LossPattern, texts: list[str], end: int, command: Command
) -> IrreversibleAct | None:
    """The act with its values; None if nothing is lost."""
    if act.loss is Loss.REMOVES_FILES:
        return find_file_removal_act(name, command)
    if act.loss is Loss.DESTROYS:
        named = find_option_values(texts, frozenset(losses.named.split()))
        return IrreversibleAct(act.loss, name, join_names(named))
    own = find_operands(texts[end:], frozenset((losses.valued + " " + losses.named).split()))
    named = find_option_values(texts, frozenset(losses.named.split())) if losses.named else []
    if act.kind == ">":
        kind, own = _split_resource_kind(own)
    else:
        kind = _find_resource_kind(texts, end) if act.kind == "<" else act.kind
    if act.loss in (Loss.PUBLISHES, Loss.UNPUBLISHES):
        kind = name
    return IrreversibleAct(act.loss, join_names([kind]), join_names(own + named))


def _split_resource_kind(own: list[str]) -> tuple[str, list[str]]:
    """The kind of resource and the remaining words: `namespace prod` or `ns/prod`."""
    if not own:
        return "resource", []
    kind, slash, name = own[0].partition("/")
    kind = kind.partition(".")[0].replace(UNKNOWN_MARK, "…").lower()
    if kind not in RESOURCE_KINDS and kind.endswith("s") and not kind.endswith("ss") and kind != "endpoints":
        kind = kind[:-1]
    return RESOURCE_KINDS.get(kind, kind), [name, *own[1:]] if slash else own[1:]


def _find_resource_kind(texts: list[str], end: int) -> str:
    """The noun next to the verb, as in `instances delete`, `terminate-instances` or `apps:destroy`."""
    verb = texts[end - 1]
    for mark, at in (("-", 1), (":", 0)):
        if mark in verb:
            return verb.split(mark, 1)[at]
    before = [text for text in texts[: end - 1] if not is_flag(text)]
    return before[-1].replace(UNKNOWN_MARK, "…") if before else "resource"


def _git_acts(texts: list[str]) -> Iterator[IrreversibleAct]:
    """The acts of refspecs that force or delete, and of paths whose changes are discarded."""
    end = find_sub_command_end(texts, ["push"])
    if end is not None and not has_flag(texts[end:], ("-n", "--force", "-f", "--delete", "-d", "--mirror")):
        for refspec in find_operands(texts[end:], frozenset({"-o", "--push-option", "--repo"}))[1:]:
            if refspec.startswith("+"):
                yield IrreversibleAct(Loss.OVERWRITES_REMOTE, "", join_names([refspec[1:]]))
            elif refspec.startswith(":") and len(refspec) > 1:
                yield IrreversibleAct(Loss.DELETES, "remote branch", join_names([refspec[1:]]))
    end = find_sub_command_end(texts, ["branch"])
    if end is not None and all(has_flag(texts[end:], one) for one in (("-d", "--delete"), ("-f", "--force"))):
        yield IrreversibleAct(Loss.DELETES, "branch", join_names(find_operands(texts[end:], frozenset())))
    end = find_sub_command_end(texts, ["checkout"])
    if end is not None and not has_flag(texts[end:], ("--force", "-f")):
        rest = texts[end:]
        paths = rest[rest.index("--") + 1 :] if "--" in rest else [text for text in rest if text == "."]
        if paths:
            yield IrreversibleAct(Loss.DISCARDS_CHANGES, "", join_names(paths))


def _sql_acts(texts: list[str], command: Command) -> Iterator[IrreversibleAct]:
    """The acts of SQL statements in the words or the input."""
    for text in (*_possible_statements(texts), *_input_texts(command)):
        yield from sql.find_sql_acts(text)


def _mongo_acts(texts: list[str], command: Command) -> Iterator[IrreversibleAct]:
    """The acts of MongoDB scripts in the words or the input."""
    for text in (*_possible_statements(texts), *_input_texts(command)):
        yield from sql.find_mongo_acts(text)


def _redis_acts(texts: list[str], command: Command) -> Iterator[IrreversibleAct]:
    """The acts of Redis commands in the words or the input."""
    own = find_operands(texts, frozenset("-h -p -a -n -u -s --user --pass -r -i".split()))
    for text in (" ".join(own), *_input_texts(command)):
        yield from sql.find_redis_acts(text)


def _possible_statements(texts: list[str]) -> list[str]:
    """The possible statements among the words of a client: values of options, and operands."""
    attached = [text.partition("=")[2] for text in texts if is_flag(text) and "=" in text]
    bundled = [text[2:] for text in texts if text[:2] in ("-c", "-e", "-q", "-Q") and len(text) > 2]
    return [*attached, *bundled, *(text for text in texts if not is_flag(text))]


def _input_texts(command: Command) -> list[str]:
    """The texts that the line writes to the input of a command."""
    found = [one.target.text for one in command.redirects if one.access is RedirectAccess.TEXT]
    if command.input is not None:
        found += [command.input.text, command.input.possible_lines]
    return found


def _http_acts(texts: list[str]) -> Iterator[IrreversibleAct]:
    """The act of an HTTP request with the method `DELETE`."""
    said = [value.lower() for value in find_option_values(texts, _METHOD_OPTIONS)]
    said += [text[2:].lower() for text in texts if text.startswith("-X")]
    plain = find_operands(
        texts, _METHOD_OPTIONS | frozenset("-H --header -u --user -d --data -o -A -b -F -f -R".split())
    )
    if "delete" in said or "DELETE" in plain[:1]:
        named = [text for text in plain if "/" in text or "." in text]
        yield IrreversibleAct(Loss.DELETES, "resource", join_names(named[:1]))


def _disk_acts(texts: list[str]) -> Iterator[IrreversibleAct]:
    """The act of overwriting a disk with `dd`."""
    targets = [text[3:] for text in texts if text.startswith("of=")]
    if any(map(is_device, targets)):
        yield IrreversibleAct(Loss.ERASES, "", join_names(targets))


def _acts_by_function(name: str, texts: list[str], command: Command) -> Iterator[IrreversibleAct]:
    """Yield the acts of a program that needs a function of its own."""
    match find_program(name).losses_by:
        case None:
            return
        case LossesBy.REPOSITORY:
            yield from _git_acts(texts)
        case LossesBy.SQL:
            yield from _sql_acts(texts, command)
        case LossesBy.MONGO:
            yield from _mongo_acts(texts, command)
        case LossesBy.REDIS:
            yield from _redis_acts(texts, command)
        case LossesBy.HTTP:
            yield from _http_acts(texts)
        case LossesBy.IMAGE:
            yield from _disk_acts(texts)


def _can_be_rebuilt(path: str, *, at_home: bool) -> bool:
    """Whether a path is temporary, or a file of the project that a tool can rebuild."""
    plain = posixpath.normpath(path)
    if plain.startswith(_TEMPORARY_DIRECTORIES):
        return True
    steps = plain.split("/")
    if not at_home or plain.startswith(("/", "~")) or ".." in steps or UNKNOWN_MARK in plain:
        return False
    return any(map(_is_build_result, steps))


def _is_build_result(name: str) -> bool:
    """Whether a file with this name is usually created by a tool."""
    return name in REBUILT_NAMES or name.endswith(_REBUILT_SUFFIXES)


def _complete_command_words(path: list[str], own: list[str]) -> list[str] | None:
    """The words of an act as a person would type them, if they begin with `own`; otherwise None."""
    if path[:1] == ["**"]:
        return [*own, _first_alternative(path[1])]
    if find_sub_command_end(own[: len(path)], path[: len(own)]) is None:
        return None
    return own[: len(path)] + [_first_alternative(word) for word in path[len(own) :]]


def _first_alternative(word: str) -> str:
    """The first alternative of a word such as `a|b`, without wildcards."""
    return word.split("|", maxsplit=1)[0]
