"""What PowerShell commands write and remove: the paths among their words."""

from assent.engine.lines import writes as other
from assent.engine.lines.writes import Written
from assent.engine.powershell import cmdlets, places
from assent.engine.powershell.aliases import NATIVE_ELSEWHERE
from assent.engine.powershell.cmdlets import Given
from assent.engine.powershell.readonly import native
from assent.engine.programs.word import Word


def written(words: tuple[Word, ...]) -> Written | None:
    """What these words would change, or None when nothing is known of the program."""
    cmdlet = cmdlets.find(words[0].text)
    if cmdlet is None:
        return _elsewhere(words)
    given = cmdlets.bind(cmdlet, words[1:])
    found = None if given is None else Written(_paths(given, ">") + _named(given), _paths(given, "~"))
    if words[0].text.lower() not in NATIVE_ELSEWHERE:
        return found
    elsewhere = _elsewhere(words)
    if found is None or elsewhere is None:
        return found or elsewhere
    return Written(_once(found.paths + elsewhere.paths), _once(found.removed + elsewhere.removed))


def _once(words: tuple[Word, ...]) -> tuple[Word, ...]:
    return tuple(dict.fromkeys(words))


def _elsewhere(words: tuple[Word, ...]) -> Written | None:
    plain = native(words)
    return None if plain is None else other.written(plain)


def _paths(given: tuple[Given, ...], kind: str) -> tuple[Word, ...]:
    return tuple(
        places.as_file(value) or value
        for item in given
        if item.parameter.kind == kind
        for value in item.values
        if not (value.text.startswith("{") and not value.quoted)
    )


def _named(given: tuple[Given, ...]) -> tuple[Word, ...]:
    """`New-Item -Path directory -Name name` makes what has that name in there."""
    if not any(item.parameter.kind == ">" for item in given):
        return ()
    names = [value for item in given if item.parameter.name == "Name" for value in item.values]
    return tuple(
        places.child(path, name.text)._replace(listed=False) for path in _paths(given, ">") for name in names
    )
