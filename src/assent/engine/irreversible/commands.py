"""The irreversible acts of one command of a line, by its words and by what it is fed."""

from collections.abc import Iterator
from functools import lru_cache

from assent.engine.globs import HOLE
from assent.engine.irreversible import sql
from assent.engine.irreversible.act import Irreversible, to_name
from assent.engine.irreversible.files import lost_files
from assent.engine.irreversible.words import (
    MOST_WORDS,
    end_of_path,
    has_flag,
    is_flag,
    only_shows,
    operands,
    values,
)
from assent.engine.lines.command import Access, Command
from assent.engine.lines.dangers import is_device
from assent.engine.programs.catalog import lookup
from assent.engine.programs.containers import RESOURCE_KINDS
from assent.engine.programs.program import Act, Loss, Losses, LossesBy
from assent.engine.programs.word import base_name, versionless

_SQL_OPTIONS = frozenset(
    "-c --command -e --execute --eval -q --query -Q -s --sql --statement -Query --stdin-query".split()
)
_METHODS = frozenset({"-X", "--request", "--method"})
_EXTENSIONS = (".exe", ".cmd", ".bat", ".ps1")


def acts_of(command: Command) -> Iterator[Irreversible]:
    """What one command of a line does that cannot be undone, whatever shell it stands in."""
    texts = [word.text for word in command.words[:MOST_WORDS]]
    if not texts:
        return
    name = program_name(texts[0])
    if lookup(versionless(name)).runs_modules and "-m" in texts[1:-1]:
        # `python3 -m twine upload` is `twine upload`.
        at = texts.index("-m")
        name, texts = texts[at + 1], texts[at + 1 :]
    if only_shows(texts[1:]):
        return
    yield from _by_table(name, texts[1:], command)
    yield from _by_function(name, texts[1:], command)


@lru_cache(maxsize=1024)
def program_name(program: str) -> str:
    """A program by the name that the table knows: without its directory, its case, its extension."""
    name = base_name(program).lower()
    for extension in _EXTENSIONS:
        name = name.removesuffix(extension)
    return name.partition(".")[0] if name.startswith(("mkfs.", "newfs.")) else name


def _by_table(name: str, texts: list[str], command: Command) -> Iterator[Irreversible]:
    losses = lookup(name).losses
    for act in () if losses is None else losses.acts:
        end = end_of_path(texts, act.words.split())
        if end is None or (act.flags and not has_flag(texts[end:], act.flags.split())):
            continue
        if act.unless and has_flag(texts[end:], act.unless.split()):
            continue
        found = _told(name, losses or _NOTHING, act, texts, end, command)
        if found is not None:
            yield found
            return


_NOTHING = Losses(())


def _told(
    name: str, losses: Losses, act: Act, texts: list[str], end: int, command: Command
) -> Irreversible | None:
    """The act with its values; None where nothing is lost after all."""
    if act.loss is Loss.REMOVES_FILES:
        return lost_files(name, command)
    if act.loss is Loss.DESTROYS:
        named = values(texts, frozenset(losses.named.split()))
        return Irreversible(act.loss, name, to_name(named))
    own = operands(texts[end:], frozenset((losses.valued + " " + losses.named).split()))
    named = values(texts, frozenset(losses.named.split())) if losses.named else []
    if act.kind == ">":
        kind, own = _kind_first(own)
    else:
        kind = _kind_before(texts, end) if act.kind == "<" else act.kind
    if act.loss in (Loss.PUBLISHES, Loss.UNPUBLISHES):
        kind = name
    return Irreversible(act.loss, to_name([kind]), to_name(own + named))


def _kind_first(own: list[str]) -> tuple[str, list[str]]:
    """`namespace prod`, `ns/prod`: the kind stands first, or before the slash."""
    if not own:
        return "resource", []
    kind, slash, name = own[0].partition("/")
    kind = kind.partition(".")[0].replace(HOLE, "…").lower()
    if kind not in RESOURCE_KINDS and kind.endswith("s") and not kind.endswith("ss") and kind != "endpoints":
        kind = kind[:-1]
    return RESOURCE_KINDS.get(kind, kind), [name, *own[1:]] if slash else own[1:]


def _kind_before(texts: list[str], end: int) -> str:
    """`instances delete`, `terminate-instances`, `apps:destroy`: the noun beside the verb."""
    verb = texts[end - 1]
    for mark, at in (("-", 1), (":", 0)):
        if mark in verb:
            return verb.split(mark, 1)[at]
    before = [text for text in texts[: end - 1] if not is_flag(text)]
    return before[-1].replace(HOLE, "…") if before else "resource"


# ---- what a row of words cannot say ------------------------------------------------------------


def _git(texts: list[str]) -> Iterator[Irreversible]:
    """Refspecs that force or delete, and paths whose changes are thrown away."""
    end = end_of_path(texts, ["push"])
    if end is not None and not has_flag(texts[end:], ("-n", "--force", "-f", "--delete", "-d", "--mirror")):
        for refspec in operands(texts[end:], frozenset({"-o", "--push-option", "--repo"}))[1:]:
            if refspec.startswith("+"):
                yield Irreversible(Loss.OVERWRITES_REMOTE, "", to_name([refspec[1:]]))
            elif refspec.startswith(":") and len(refspec) > 1:
                yield Irreversible(Loss.DELETES, "remote branch", to_name([refspec[1:]]))
    end = end_of_path(texts, ["checkout"])
    if end is not None and not has_flag(texts[end:], ("--force", "-f")):
        rest = texts[end:]
        paths = rest[rest.index("--") + 1 :] if "--" in rest else [text for text in rest if text == "."]
        if paths:
            yield Irreversible(Loss.DISCARDS_CHANGES, "", to_name(paths))


def _database(texts: list[str], command: Command) -> Iterator[Irreversible]:
    for text in (*_given(texts), *_fed(command)):
        yield from sql.in_sql(text)


def _mongo(texts: list[str], command: Command) -> Iterator[Irreversible]:
    for text in (*_given(texts), *_fed(command)):
        yield from sql.in_mongo(text)


def _redis(texts: list[str], command: Command) -> Iterator[Irreversible]:
    own = operands(texts, frozenset("-h -p -a -n -u -s --user --pass -r -i".split()))
    for text in (" ".join(own), *_fed(command)):
        yield from sql.in_redis(text)


def _given(texts: list[str]) -> list[str]:
    """The statements among a client's words: values of options, attached or not, and operands."""
    attached = [text.partition("=")[2] for text in texts if is_flag(text) and "=" in text]
    bundled = [text[2:] for text in texts if text[:2] in ("-c", "-e", "-q", "-Q") and len(text) > 2]
    return [*attached, *bundled, *(text for text in texts if not is_flag(text))]


def _fed(command: Command) -> list[str]:
    """The texts that the line itself feeds to a command."""
    found = [one.target.text for one in command.redirects if one.access is Access.TEXT]
    if command.input is not None:
        found += [command.input.text, command.input.guessed]
    return found


def _http(texts: list[str]) -> Iterator[Irreversible]:
    """A request that deletes what an address names."""
    said = [value.lower() for value in values(texts, _METHODS)]
    said += [text[2:].lower() for text in texts if text.startswith("-X")]
    plain = operands(texts, _METHODS | frozenset("-H --header -u --user -d --data -o -A -b -F -f -R".split()))
    if "delete" in said or "DELETE" in plain[:1]:
        named = [text for text in plain if "/" in text or "." in text]
        yield Irreversible(Loss.DELETES, "resource", to_name(named[:1]))


def _copies_disk(texts: list[str]) -> Iterator[Irreversible]:
    targets = [text[3:] for text in texts if text.startswith("of=")]
    if any(map(is_device, targets)):
        yield Irreversible(Loss.ERASES, "", to_name(targets))


def _by_function(name: str, texts: list[str], command: Command) -> Iterator[Irreversible]:
    """The acts that only the words or the input of a program tell."""
    match lookup(name).losses_by:
        case None:
            return
        case LossesBy.REPOSITORY:
            yield from _git(texts)
        case LossesBy.SQL:
            yield from _database(texts, command)
        case LossesBy.MONGO:
            yield from _mongo(texts, command)
        case LossesBy.REDIS:
            yield from _redis(texts, command)
        case LossesBy.HTTP:
            yield from _http(texts)
        case LossesBy.IMAGE:
            yield from _copies_disk(texts)


def examples_within(words: tuple[str, ...]) -> tuple[str, ...]:
    """Irreversible commands that a rule for everything that begins with these words also covers.

    Each is spelled as a person would type it: `git push --force` for `git push`.
    """
    if not words:
        return ()
    name = program_name(words[0])
    own = [text for text in words[1:] if not is_flag(text)]
    known = lookup(name)
    found = [
        " ".join(filter(None, (name, *spelled, *act.flags.split()[:1])))
        for act in (() if known.losses is None else known.losses.acts)
        if (spelled := _spelled(act.words.split(), own)) is not None
    ]
    if known.losses_by is LossesBy.SQL and not own:
        found.append(f"{name} … DROP TABLE")
    return tuple(dict.fromkeys(found))


def _spelled(path: list[str], own: list[str]) -> list[str] | None:
    """The sub-command of a row as one would type it, if what is given is its beginning; else None."""
    if path[:1] == ["**"]:
        return [*own, _first(path[1])]
    if end_of_path(own[: len(path)], path[: len(own)]) is None:
        return None
    return own[: len(path)] + [_first(word) for word in path[len(own) :]]


def _first(word: str) -> str:
    return word.split("|", maxsplit=1)[0]
