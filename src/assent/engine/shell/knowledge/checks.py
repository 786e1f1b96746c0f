"""The programs a flag list cannot describe: each has a function that reads its words.

A function gets the words after the program, or after its sub-command, and returns the files it
would read; None when it might do more than read.
"""

from collections.abc import Callable

from assent.engine.shell.command import Word
from assent.engine.shell.knowledge import (
    builds_checks,
    builtins_checks,
    cloud_checks,
    code_checks,
    git_checks,
    system_checks,
)
from assent.engine.shell.knowledge.archive import ar, jar, tar, unpack
from assent.engine.shell.knowledge.awk import awk
from assent.engine.shell.knowledge.find import find
from assent.engine.shell.knowledge.jq import jq, yq
from assent.engine.shell.knowledge.sed import sed

BY_NAME: dict[str, Callable[[tuple[Word, ...]], tuple[Word, ...] | None]] = {
    "ar": ar,
    "awk": awk,
    "find": find,
    "jar": jar,
    "jq": jq,
    "sed": sed,
    "tar": tar,
    "unpack": unpack,
    "yq": yq,
    **builds_checks.CHECKS,
    **builtins_checks.CHECKS,
    **cloud_checks.CHECKS,
    **code_checks.CHECKS,
    **git_checks.CHECKS,
    **system_checks.CHECKS,
}
