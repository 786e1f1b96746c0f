"""Checks of programs about the machine: they set no clock and look up no host."""

import re
from collections.abc import Callable
from functools import partial

from assent.engine.base.lazy import regex
from assent.engine.programs.flags import FlagScan, parse_flags
from assent.engine.programs.word import UNKNOWN_MARK, Word

Words = tuple[Word, ...]

_DATE_FLAGS = parse_flags(
    "-d= -r=< -u -R -I? -v= --date= --reference=< --utc --universal --rfc-email --rfc-2822 --iso-8601? --rfc-3339="
    " --debug --resolution --help --version"
)
_DATE_DISPLAY_FLAGS = parse_flags("-j -f= -r= -v= -u -R -I? -z=")
_SYSCTL_FLAGS = parse_flags(
    "-a -A -n -N -e -b -d -h -x -o -X -q -i --all --values --names --ignore --binary --quiet --help --version"
)
_PS_FLAGS = parse_flags(
    "-A -a -d -e -N -C= -G= -g= -p= -q= -s= -t= -U= -u= -c -f -F -j -l -M -O= -o= -k= -P -y -H -w -L -m -T -V -x -r"
    " -v -X -Z -h -S --pid= --ppid= --sort= --no-headers --no-heading --forest --format= --user= --User= --group="
    " --Group= --cols= --columns= --width= --rows= --lines= --tty= --sid= --quick-pid= --deselect --headers"
    " --cumulative --context --info --version --help"
)
_SETTING_NAME = regex(r"[\w-]+(?:[./][\w*-]+)*")
_SERVICE_NAME = regex(r"\w[\w@-]*(?:\.\w+)?")


def check_date(words: Words) -> Words | None:
    """Check that `date` only prints: a time without `+` would set the clock, except with `-j`."""
    sets_nothing = any(word.text == "-j" for word in words)
    scan = FlagScan(_DATE_DISPLAY_FLAGS if sets_nothing else _DATE_FLAGS, words)
    operands = scan.operands()
    if operands is None or (sets_nothing and "-j" not in scan.leading_flags()):
        return None
    formats = all(word.text.startswith("+") and not word.splits for word in operands)
    return tuple(scan.files) if formats or sets_nothing else None


def check_service(words: Words) -> Words | None:
    """Check that `service` only prints a status; a name with a slash would start any program."""
    match [word.text for word in words]:
        case ["--status-all"]:
            return ()
        case [name, "status"] if _SERVICE_NAME.fullmatch(name):
            return ()
        case _:
            return None


def check_sysctl(words: Words) -> Words | None:
    """Check that `sysctl` only prints settings; a name with `=` would be set."""
    operands = FlagScan(_SYSCTL_FLAGS, words).operands()
    return (
        () if operands is not None and all(_SETTING_NAME.fullmatch(word.text) for word in operands) else None
    )


def check_ps(words: Words) -> Words | None:
    """Check that `ps` does not print environments, which the letter `e` without a dash would do."""
    operands = FlagScan(_PS_FLAGS, words, careful=False).operands()
    return (
        None
        if operands is None
        or any(word.is_opaque or (word.text[:1].isalpha() and "e" in word.text) for word in operands)
        else ()
    )


def check_no_match(words: Words, *, pattern: re.Pattern[str]) -> Words | None:
    """Check that no word contains a match of the pattern."""
    return None if any(pattern.search(word.text) for word in words) else ()


CHECKS: dict[str, Callable[[Words], Words | None]] = {
    "date": check_date,
    "service": check_service,
    "sysctl": check_sysctl,
    "ps": check_ps,
    # Looking up a name reveals it to the owner of the domain.
    "no hosts after @": partial(check_no_match, pattern=regex("@")),
    "no host names": partial(check_no_match, pattern=regex(r"[.][^\d]|[.]$")),
    # Another program would unpack these archives.
    "no archives": partial(
        check_no_match,
        pattern=regex(r"\.(?:t?gz|tbz2?|bz2|t?xz|tar|zip|whl|[ejw]ar|deb|rpm|dmg)$", re.IGNORECASE),
    ),
    "no cache": partial(check_no_match, pattern=regex("^cache$")),
    "no commands": partial(check_no_match, pattern=regex(r"^\+")),
    # Output to these devices is only shown or dropped.
    "no files": partial(check_no_match, pattern=regex(r"^(?!-.|/dev/(?:null|stdout|stderr)$)")),
    "no commas": partial(check_no_match, pattern=regex(",")),
    # `#(…)` runs a program, a word that ends in `;` begins another command.
    "no formats": partial(check_no_match, pattern=regex(f"[#;{UNKNOWN_MARK}]")),
}
