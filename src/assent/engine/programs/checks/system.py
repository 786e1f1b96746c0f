"""Checks of programs about the machine: no clock is set, no host is looked up."""

import re
from collections.abc import Callable
from functools import partial

from assent.engine.base.lazy import regex
from assent.engine.programs.flags import Scan, parse_flags
from assent.engine.programs.word import UNKNOWN_MARK, Word

Files = tuple[Word, ...]

_DATE = parse_flags(
    "-d= -r=< -u -R -I? -v= --date= --reference=< --utc --universal --rfc-email --rfc-2822 --iso-8601? --rfc-3339="
    " --debug --resolution --help --version"
)
_DATE_THAT_SETS_NOTHING = parse_flags("-j -f= -r= -v= -u -R -I? -z=")
_SYSCTL = parse_flags(
    "-a -A -n -N -e -b -d -h -x -o -X -q -i --all --values --names --ignore --binary --quiet --help --version"
)
_PS = parse_flags(
    "-A -a -d -e -N -C= -G= -g= -p= -q= -s= -t= -U= -u= -c -f -F -j -l -M -O= -o= -k= -P -y -H -w -L -m -T -V -x -r"
    " -v -X -Z -h -S --pid= --ppid= --sort= --no-headers --no-heading --forest --format= --user= --User= --group="
    " --Group= --cols= --columns= --width= --rows= --lines= --tty= --sid= --quick-pid= --deselect --headers"
    " --cumulative --context --info --version --help"
)
_SETTING = regex(r"[\w-]+(?:[./][\w*-]+)*")
_SERVICE = regex(r"\w[\w@-]*(?:\.\w+)?")


def date(words: Files) -> Files | None:
    """A time without `+` sets the clock, except with `-j`."""
    sets_nothing = any(word.text == "-j" for word in words)
    scan = Scan(_DATE_THAT_SETS_NOTHING if sets_nothing else _DATE, words)
    operands = scan.operands()
    if operands is None or (sets_nothing and "-j" not in scan.leading_flags()):
        return None
    formats = all(word.text.startswith("+") and not word.splits for word in operands)
    return tuple(scan.files) if formats or sets_nothing else None


def service(words: Files) -> Files | None:
    """`status` alone; a name with a slash would start any program."""
    match [word.text for word in words]:
        case ["--status-all"]:
            return ()
        case [name, "status"] if _SERVICE.fullmatch(name):
            return ()
        case _:
            return None


def sysctl(words: Files) -> Files | None:
    """A name with `=` would be set, one with dots in a row would leave the tree of settings."""
    operands = Scan(_SYSCTL, words).operands()
    return () if operands is not None and all(_SETTING.fullmatch(word.text) for word in operands) else None


def ps(words: Files) -> Files | None:
    """No flag does more than read; but letters without a dash are flags, and `e` shows environments."""
    operands = Scan(_PS, words, careful=False).operands()
    return (
        None
        if operands is None
        or any(word.opaque or (word.text[:1].isalpha() and "e" in word.text) for word in operands)
        else ()
    )


def without(words: Files, *, pattern: re.Pattern[str]) -> Files | None:
    """No word holds this."""
    return None if any(pattern.search(word.text) for word in words) else ()


CHECKS: dict[str, Callable[[Files], Files | None]] = {
    "date": date,
    "service": service,
    "sysctl": sysctl,
    "ps": ps,
    # Looking up a name reveals it to the owner of the domain.
    "no hosts after @": partial(without, pattern=regex("@")),
    "no host names": partial(without, pattern=regex(r"[.][^\d]|[.]$")),
    # They would be unpacked by another program, into a directory of their own.
    "no archives": partial(
        without, pattern=regex(r"\.(?:t?gz|tbz2?|bz2|t?xz|tar|zip|whl|[ejw]ar|deb|rpm|dmg)$", re.IGNORECASE)
    ),
    "no cache": partial(without, pattern=regex("^cache$")),
    "no commands": partial(without, pattern=regex(r"^\+")),
    # What is written there is only shown, or not even that.
    "no files": partial(without, pattern=regex(r"^(?!-.|/dev/(?:null|stdout|stderr)$)")),
    "no commas": partial(without, pattern=regex(",")),
    # `#(…)` runs a program, a word that ends in `;` begins another command.
    "no formats": partial(without, pattern=regex(f"[#;{UNKNOWN_MARK}]")),
}
