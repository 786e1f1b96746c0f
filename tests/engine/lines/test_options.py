"""The options of a program are separated from its operands."""

import pytest

from assent.engine.lines.options import (
    OptionParser,
    find_options,
    find_program_in_setting,
    find_shell_escape,
    join_words,
    may_be_option,
    program_in_setting_value,
    shell_texts_in_options,
    shell_texts_in_words,
    split_tar_options,
)
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.bash.shell_words import to_words

GRAMMAR = "-a -b --all -n= --number= -c? --color? -w== -NUM +? run"


@pytest.mark.parametrize(
    ("line", "at", "values"),
    [
        ("p x", 1, {}),
        ("p -a x", 2, {"-a": ""}),
        ("p -ab x", 2, {"-a": "", "-b": ""}),
        ("p -n 5 x", 3, {"-n": "5"}),
        ("p -n5 x", 2, {"-n": "5"}),
        ("p -n=5 x", 2, {"-n": "5"}),
        ("p -an5 x", 2, {"-a": "", "-n": "5"}),
        ("p -an 5 x", 3, {"-a": "", "-n": "5"}),
        ("p --number 5 x", 3, {"--number": "5"}),
        ("p --number=5 x", 2, {"--number": "5"}),
        ("p --color x", 2, {"--color": ""}),
        ("p --color=a x", 2, {"--color": "a"}),
        ("p -c x", 2, {"-c": ""}),
        ("p -ca x", 2, {"-c": "a"}),
        ("p -w 1 2 x", 4, {"-w": "1"}),
        ("p -20 x", 2, {}),
        ("p +20 x", 2, {"+": "20"}),
        ("p run x", 2, {"run": ""}),
        ("p -- -a", 2, {}),
        ("p -a -- -b", 3, {"-a": ""}),
        ("p - x", 1, {}),
        ("p -n", 2, {"-n": ""}),
        ("p", 1, {}),
        ("p -n ${X} x", 3, {"-n": UNKNOWN_MARK}),
        ("p -n${X} x", 2, {"-n": UNKNOWN_MARK}),
    ],
)
def test_options_are_skipped_up_to_the_first_operand(line: str, at: int, values: dict[str, str]) -> None:
    own = OptionParser(GRAMMAR, to_words(line))
    own.skip_options()

    assert (own.at, own.understood) == (at, True)
    assert {found.name: found.value.text for found in own.found} == values


@pytest.mark.proves("T-20", "T-21")
@pytest.mark.parametrize(
    ("line", "at"),
    [
        ("p -x a", 1),
        ("p -ax a", 1),
        ("p --new a", 1),
        ("p --al a", 2),
        ("p --all=a a", 1),
        ("p --new=a a", 1),
        ("p -٢ a", 1),
        ("p $X a", 1),
        ("p ${X} a", 1),
        ("p -a$X a", 1),
        ("p -n $X a", 3),
        ("p -a --new", 2),
    ],
)
def test_a_word_that_is_not_understood_stops_the_skipping(line: str, at: int) -> None:
    own = OptionParser(GRAMMAR, to_words(line))
    own.skip_options()

    assert (own.at, own.understood) == (at, False)


def test_other_options_may_be_declared_to_take_no_word() -> None:
    own = OptionParser("-* --* -n=", to_words("p -x --new --new=a -n 5 x"))
    own.skip_options()

    assert (own.at, own.understood, own.assumed_switches) == (6, True, 2)


def test_an_unknown_piece_in_an_option_name_is_never_ignored() -> None:
    own = OptionParser("-* --*", to_words("p --${X} a"))
    own.skip_options()

    assert (own.at, own.understood) == (1, False)


def test_operands_may_be_between_options() -> None:
    own = OptionParser(GRAMMAR, to_words("p a -n 5 b --new c -- -a"))

    assert [word.text for word in own.parse_operands()] == ["a", "b", "c", "-a"]
    assert (own.option_names(), own.understood) == ({"-n"}, False)


def test_options_are_found_anywhere_among_unknown_ones() -> None:
    given = to_words("p --new -vn5 a --number=6 -xn 7 +8 -a --color -z -- -n")
    found = find_options("-n= --number= +? -a --color?", given, 1)

    assert [(one.name, one.value.text, one.at) for one in found] == [
        ("-n", "5", 2),
        ("--number", "6", 4),
        ("-n", "7", 6),
        ("+", "8", 7),
        ("-a", "", 8),
    ]


@pytest.mark.parametrize(
    ("word", "is_vague"),
    [
        (Word("a"), False),
        (Word(f"a{UNKNOWN_MARK}"), False),
        (Word(UNKNOWN_MARK), True),
        (Word(f"a{UNKNOWN_MARK}", splits=True), True),
        (Word("a*", glob=True), True),
    ],
)
def test_a_word_may_be_an_option_if_it_is_unknown_or_may_split(word: Word, is_vague: bool) -> None:
    assert may_be_option(word) is is_vague


def test_joined_words_are_one_text() -> None:
    assert join_words((Word("a b", quoted=True),)) == Word("a b", quoted=True)
    assert join_words((Word("a"), Word(UNKNOWN_MARK, splits=True), Word("*", glob=True))) == Word(
        f"a {UNKNOWN_MARK} *", glob=True, splits=True
    )


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("tar xvf a b", "tar -x -v -f a b"),
        ("tar xfC a d b", "tar -x -f a -C d b"),
        ("tar cff a b", "tar -c -f a -f b"),
        ("tar xvvf", "tar -x -v -f"),
        ("tar xvff a", "tar -x -v -f a"),
        ("tar " + "xvf" * 10_000, "tar -x -v -f"),
        ("tar -xf a", "tar -xf a"),
        ("tar", "tar"),
    ],
)
def test_old_style_options_of_tar_get_dashes_and_lose_repetitions(line: str, found: str) -> None:
    assert " ".join(word.text for word in split_tar_options(to_words(line))) == found


@pytest.mark.proves("T-20", "T-21")
@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("core.pager=less -R", "less -R"),
        ("core.sshCommand=ssh -i a", "ssh -i a"),
        ("CORE.PAGER=a", "a"),
        ("alias.a=!rm x", "rm x"),
        ("alias.a=push --force", "git push --force"),
        ("credential.helper=!rm x", "rm x"),
        ("credential.helper=store", "store"),
        ("filter.a.clean=rm x", "rm x"),
        ("merge.a.driver=rm x", "rm x"),
        ("pager.log=rm x", "rm x"),
        ("ProxyCommand=nc %h %p", "nc %h %p"),
        ("ProxyCommand nc %h %p", "nc %h %p"),
        ("ProxyCommand=nc a=b", "nc a=b"),
        ("APT::Update::Pre-Invoke::=rm x", "rm x"),
        ("build.rustc-wrapper=./a", "./a"),
        ('target.x.runner="rm x"', "rm x"),
        ("core.pager=cat", None),
        ("core.pager=", None),
        ("core.pager", None),
        ("core.fsmonitor=false", None),
        ("user.name=command", None),
        ("StrictHostKeyChecking=no", None),
    ],
)
def test_a_setting_with_a_program_is_shell_text(text: str, run: str | None) -> None:
    found = find_program_in_setting(Word(text))

    assert (None if found is None else found.text) == run


def test_a_key_and_its_value_may_be_separate() -> None:
    assert program_in_setting_value("alias.a", Word("!rm x")) == Word("rm x")
    assert program_in_setting_value("user.name", Word("rm x")) is None


@pytest.mark.proves("T-20")
@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("!rm x", "rm x"),
        (":!rm x", "rm x"),
        (" : rm", None),
        ("silent !rm x", "rm x"),
        ("silent! !rm x", "rm x"),
        ("%!rm x", "rm x"),
        (":%!rm x", "rm x"),
        ("r!rm x", "rm x"),
        ("shell rm x", "rm x"),
        (".shell rm x", "rm x"),
        (":terminal rm x", "rm x"),
        ("platform shell rm x", "rm x"),
        ("select 1; \\! rm x", " rm x"),
        ("select 1 != 2", None),
        ("set number", None),
        ("shellcheck", None),
        ("", None),
    ],
)
def test_a_shell_escape_of_an_editor_is_found(text: str, run: str | None) -> None:
    found = find_shell_escape(Word(text))

    assert (None if found is None else found.text) == run


def test_options_are_read_as_they_are_marked() -> None:
    found = find_options(
        "-a=! -b=@ -c=% -d=", to_words("x -a 'rm a' -b core.pager='rm b' -c '!rm c' -d 'rm d' -a ' '"), 1
    )

    assert [(at, text.text) for at, text in shell_texts_in_options(found)] == [
        (2, "rm a"),
        (4, "rm b"),
        (6, "rm c"),
    ]


@pytest.mark.proves("T-20")
@pytest.mark.parametrize(
    ("line", "texts"),
    [
        ("git clone 'ext::sh -c rm% x'", [(2, "sh -c 'rm x'")]),
        ("git clone https://host/a", []),
        ("socat EXEC:sh -", [(1, "sh")]),
        ("tar --checkpoint-action=exec=sh -cf a b", [(1, "sh")]),
        ("ls ext::a", []),
    ],
)
def test_words_with_a_listed_beginning_contain_shell_text(line: str, texts: list[tuple[int, str]]) -> None:
    given = to_words(line)

    assert [(at, text.text) for at, text in shell_texts_in_words(given[0].text, given)] == texts
