"""Shell text inside settings, commands of editors and marked words."""

import pytest

from assent.engine.lines.option_texts import escape, option_texts, setting, value_of, word_texts
from assent.engine.lines.options import anywhere
from assent.engine.programs.word import Word
from tests.engine.bash.spelled import words


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
def test_a_setting_that_holds_a_program_is_text(text: str, run: str | None) -> None:
    found = setting(Word(text))

    assert (None if found is None else found.text) == run


def test_a_key_and_its_value_may_stand_apart() -> None:
    assert value_of("alias.a", Word("!rm x")) == Word("rm x")
    assert value_of("user.name", Word("rm x")) is None


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
def test_an_editor_leads_to_the_shell(text: str, run: str | None) -> None:
    found = escape(Word(text))

    assert (None if found is None else found.text) == run


def test_options_are_read_as_they_are_marked() -> None:
    found = anywhere(
        "-a=! -b=@ -c=% -d=", words("x -a 'rm a' -b core.pager='rm b' -c '!rm c' -d 'rm d' -a ' '"), 1
    )

    assert [(at, text.text) for at, text in option_texts(found)] == [(2, "rm a"), (4, "rm b"), (6, "rm c")]


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
def test_words_with_a_marked_beginning_hold_text(line: str, texts: list[tuple[int, str]]) -> None:
    given = words(line)

    assert [(at, text.text) for at, text in word_texts(given[0].text, given)] == texts
