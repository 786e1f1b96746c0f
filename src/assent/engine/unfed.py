"""Allow rules that say nothing of what is fed to a program, although the program acts on it."""

from assent.engine.languages import language_of
from assent.engine.lines.input_names import named_input
from assent.engine.lines.line import subject_of_line
from assent.engine.lines.part import Part
from assent.engine.lines.program_part import Language
from assent.engine.model import Dialect
from assent.engine.pattern import pattern_words, written
from assent.engine.programs.program import InputUse
from assent.engine.rule import Rule

_ACTS = (InputUse.INSTRUCTIONS, InputUse.OPERANDS, InputUse.ANSWERS)


def leaves_input_open(rule: Rule, dialect: Dialect) -> bool:
    """Whether an allow rule covers its program only while nothing is fed to it."""
    if dialect not in (Dialect.SHELL, Dialect.POWERSHELL) or rule.specifier is None:
        return False
    if named_input(rule.specifier).input:
        return False
    words = pattern_words(rule.specifier)
    words = words[:-1] if words[-1:] == ("*",) else words
    language = language_of(dialect)
    return any(_acts_on_input(part, language) for part in subject_of_line(written(words), language).parts)


def _acts_on_input(part: Part, language: Language) -> bool:
    command = part.command
    if command is not None and command.words and language.takes(command) in _ACTS:
        return True
    return any(_acts_on_input(inner, language) for inner in part.carried)
