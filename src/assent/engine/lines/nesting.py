"""Programs that execute what they are given, and what that would be."""

from functools import lru_cache

from assent.engine.lines import repeaters, shells
from assent.engine.lines.command import Command
from assent.engine.lines.nested import Carried, guess, settle, with_texts
from assent.engine.lines.options import (
    Options,
    anywhere,
    join,
    loose_texts,
    option_texts,
    vague,
    value_in,
    value_of,
)
from assent.engine.lines.scripts import speaks, with_started
from assent.engine.lines.variable_commands import takes_assignments, with_assigned
from assent.engine.lines.written_scripts import with_drafts
from assent.engine.programs.catalog import lookup, runner_name, trusted_name
from assent.engine.programs.program import Input, Rest, RunCommands, RunEntry, Runs, RunsBy
from assent.engine.programs.variables import harmless
from assent.engine.programs.word import HOLE, Word

_OPTIONS_ONLY = Runs(rest=Rest.FLAGS)


def carried(command: Command) -> Carried | None:
    """What a command would run besides itself, one level deep; None when it only runs itself."""
    if not (command.assignments or command.drafts or _may_carry(command.program)):
        return None
    return with_assigned(with_drafts(with_started(_by_words(command), command), command), command)


@lru_cache(maxsize=4096)
def _may_carry(program: str) -> bool:
    """Whether any table says that a program of this name could run something; most only run themselves."""
    return runner_name(program) is not None or speaks(program) or takes_assignments(program)


def _by_words(command: Command) -> Carried | None:
    """What its words say that it runs."""
    name = runner_name(command.program)
    if name is None:
        return None
    known = lookup(name)
    if known.runs_by is not None:
        found = _by_function(known.runs_by, known.runs_options, name, command)
    else:
        found = with_texts(_unwrap(known.runs or _OPTIONS_ONLY, command, 1), loose_texts(name, command.words))
        found = shells.with_program_file(found, command, known.text_options or "")
    return None if found is None else settle(found, trusted=trusted_name(command.program) == name)


def _by_function(kind: RunsBy, options: str, name: str, command: Command) -> Carried | None:
    match kind:
        case RunsBy.SHELL:
            return shells.shell(name, command)
        case RunsBy.POWERSHELL:
            return shells.powershell(command)
        case RunsBy.WINDOWS_SHELL:
            return shells.windows(command)
        case RunsBy.INPUT_NAMES:
            return repeaters.xargs(command, options)
        case RunsBy.FOUND_FILES:
            return repeaters.find(command)
        case RunsBy.FOUND_NAMES:
            return repeaters.fd(command)
        case RunsBy.ARGUMENTS:
            return repeaters.parallel(command, options)


def _unwrap(carrier: RunEntry, command: Command, at: int) -> Carried | None:
    if isinstance(carrier, RunCommands):
        return _subcommand(carrier, command, at)
    if carrier.marker:
        return _marked(carrier, command, at)
    if carrier.rest is Rest.FLAGS:
        return _flags(carrier, command, at)
    return _Unwrapping(carrier, command, at).result()


def _subcommand(carrier: RunCommands, command: Command, at: int) -> Carried | None:
    words = command.words
    own = Options(carrier.options, words, at)
    own.skip()
    named = words[own.at].text if own.sure and own.at < len(words) else ""
    found: Carried | None = None
    if named in carrier.commands:
        found = _unwrap(carrier.commands[named], command, own.at + 1)
    elif not own.sure:
        found = _likely_subcommand(carrier, command, own.at)
    if found is None and carrier.default is not None and named not in carrier.commands:
        found = _unwrap(carrier.default, command, at)
    return with_texts(found, option_texts(own.found))


def _likely_subcommand(carrier: RunCommands, command: Command, at: int) -> Carried | None:
    """What would run if the first word that is a sub-command were meant as one, or else the second."""
    words = command.words
    places = [place for place in range(at, len(words)) if words[place].text in carrier.commands]
    found = [_unwrap(carrier.commands[words[place].text], command, place + 1) for place in places[:2]]
    likely = [one for one in found if one is not None]
    if not likely:
        return None
    return likely[0]._replace(
        commands=tuple(vector for one in likely for vector in one.commands),
        texts=tuple(text for one in likely for text in one.texts),
        certain=False,
        computed=len(places) > 2 or any(one.computed for one in likely),
    )


def _flags(wrapper: Runs, command: Command, at: int) -> Carried | None:
    """A program that runs only what some options name, or what it reads."""
    words = command.words
    options = anywhere(wrapper.options, words, at)
    found = shells.from_input(command, wrapper.input)
    for start in [option.at + 1 for option in options if "*" in option.option.marks]:
        found = Carried((words[start:],), at=start) if words[start:] else found
    found = with_texts(found, option_texts(options))
    return (found or Carried())._replace(privilege=True) if wrapper.privilege else found


def _marked(wrapper: Runs, command: Command, at: int) -> Carried | None:
    """A program whose command begins after a marker."""
    words = command.words
    places = [place for place in range(at, len(words)) if words[place].text == wrapper.marker]
    start = places[0] + 1 if places else len(words)
    if not words[start:]:
        return _flags(wrapper, command, at)
    return Carried(((*map(Word, wrapper.before), *words[start:]),), at=start, privilege=wrapper.privilege)


class _Unwrapping:
    """A wrapper's words: its own options, operands and assignments, then what it runs."""

    def __init__(self, wrapper: Runs, command: Command, at: int) -> None:
        self.wrapper = wrapper
        self.command = command
        self.words = command.words
        self.own = Options(wrapper.options, command.words, at)
        self.pending = wrapper.operands
        self.start = at
        self.harmless = True

    def result(self) -> Carried | None:
        """What it runs, or None when that is nothing."""
        wrapper, own = self.wrapper, self.own
        self._enter()
        found = with_texts(None if own.values(";") else self._runs(), option_texts(own.found))
        if found is None:
            return Carried(privilege=True) if wrapper.privilege else None
        clean = self.harmless and not own.values("~")
        return found._replace(
            transparent=wrapper.transparent and clean,
            covers=wrapper.covers and clean,
            privilege=wrapper.privilege,
            files=tuple(option.value for option in own.values("<")),
        )

    def _enter(self) -> None:
        """Go past all that is the wrapper's own."""
        own = self.own
        own.skip()
        self.start = own.at
        while self.pending and own.sure and own.at < len(self.words):
            if vague(self.words[own.at]):
                own.sure = False
                return
            own.at += 1
            self.pending -= 1
            if self.wrapper.again:
                own.skip()
        while self.wrapper.assignments and own.sure and own.at < len(self.words) and self._assigns():
            own.at += 1
            if self.wrapper.again:
                own.skip()

    def _assigns(self) -> bool:
        """Whether the next word is an assignment; remember whether all were harmless."""
        word = self.words[self.own.at]
        name, equals, value = word.text.partition("=")
        if not equals or not name or HOLE in name:
            return False
        self.harmless = self.harmless and harmless(name, word._replace(text=value))
        return True

    def _runs(self) -> Carried | None:
        own = self.own
        clear = own.sure or all(map(vague, self.words[own.at : own.at + 1]))
        if self.wrapper.rest is Rest.SCRIPT and clear:
            return self._script()
        return self._rest() if own.sure or own.values("&") else self._guess()

    def _guess(self) -> Carried | None:
        own = self.own
        marked = any("!" in option.marks for option in own.grammar.known.values())
        texts = marked or self.wrapper.rest is not Rest.COMMAND
        start = self.start if self.wrapper.optional else own.at
        found = guess(self.words, start, own=self.pending, texts=texts)
        if found.commands or found.texts or found.computed:
            return found
        # Where nothing follows a word of unknown value, the command must be in it.
        hidden = self.wrapper.input is Input.DATA and any(word.opaque for word in self.words[own.at :])
        return found._replace(computed=True) if hidden else None

    def _rest(self) -> Carried | None:
        own, words = self.own, self.words
        if own.values("&"):
            # `env` reads the text as its own words once more, in which `\_` is a blank.
            text = join((words[0], *(option.value for option in own.values("&")), *words[own.at :]))
            text = text._replace(text=text.text.replace("\\_", " "))
            return Carried(texts=(text,), at=own.values("&")[0].at)
        # Operands that may be left out may be the beginning of the command.
        starts = [self.start, own.at] if self.wrapper.optional and self.start < own.at else [own.at]
        match Rest.TEXT if own.values("$") else self.wrapper.rest:
            case Rest.COMMAND:
                programs = tuple(option.value for option in own.values("^"))
                before = (*map(Word, self.wrapper.before), *programs)
                vectors = tuple((*before, *words[start:]) for start in starts if programs or words[start:])
                return Carried(vectors, at=starts[0]) if vectors else self._input()
            case Rest.TEXT:
                texts = tuple(join(words[start:]) for start in starts if words[start:])
                return Carried(texts=texts, at=starts[0]) if texts else self._input()
            case _:
                return self._pieces()

    def _script(self) -> Carried | None:
        own = self.own
        if option_texts(own.found):
            return None
        return shells.script(self.command, own.at, reads=self.wrapper.input, unknown=own.assumed)

    def _input(self) -> Carried | None:
        return None if option_texts(self.own.found) else shells.from_input(self.command, self.wrapper.input)

    def _pieces(self) -> Carried | None:
        """Operands that are shell texts, or hold one each."""
        at, operands = self.own.at, self.own.operands()
        texts: list[Word | None] = []
        match self.wrapper.rest:
            case Rest.FIRST:
                texts = [operands[0]] if len(operands) > 1 and operands[0].text not in ("", "-") else []
            case Rest.VALUES:
                texts = [value_in(word) for word in operands if "=" in word.text]
            case Rest.SETTING:
                texts = [value_of(operands[0].text, operands[1])] if len(operands) > 1 else []
            case _:
                texts = [*operands]
        found = tuple(text for text in texts if text is not None)
        return Carried(texts=found, at=at) if found else None
