"""An excerpt shows parts of a large approval, is marked as clipped, and cannot be approved."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.engine.base.reason import ReasonCode, make_reason, text_reason
from assent.engine.lines.specifier import DisclosedInput, InputSource
from assent.engine.policy.verdict import Piece, Stage, Step, Verdict
from assent.gate.answer import Answer, Say
from assent.gate.approval import MAX_EXCERPT_BYTES, MAX_WHOLE_BYTES, Approval, Excerpt
from assent.wire.excerpt import (
    MAX_PIECES,
    clip_value,
    excerpt_from_json,
    excerpt_to_json,
    make_clipped_excerpt,
    make_excerpt,
    shorten_text,
    to_compact_json,
)
from tests.gate.samples import DECISION, YES, sample_approval


def approval_of_pieces(*texts: str, asks: int) -> Approval:
    """An approval for a command line of these pieces; one of them needs approval."""
    starts = [sum(map(len, texts[:at])) for at in range(len(texts))]
    pieces = [
        Piece(start, Verdict.ASK if at == asks else Verdict.RUN, text_reason(f"reason {at}"))
        for at, start in enumerate(starts)
    ]
    return sample_approval(args={"command": "".join(texts)}, decision=DECISION._replace(pieces=tuple(pieces)))


def shown_pieces(excerpt: Excerpt) -> list[tuple[str, str]]:
    """The text and the verdict of each piece that an excerpt shows."""
    text = str(excerpt.approval.call.args["command"])
    pieces = excerpt.approval.decision.pieces
    ends = [*(piece.start for piece in pieces[1:]), len(text)]
    bounds = pairwise([0, *ends])
    return [(text[start:end], piece.verdict.word) for piece, (start, end) in zip(pieces, bounds, strict=True)]


def test_a_small_approval_is_shown_completely() -> None:
    approval = sample_approval()

    assert make_excerpt(approval).approval is approval
    assert not make_excerpt(approval).clipped


@pytest.mark.proves("T-2")
def test_the_piece_that_asks_is_shown_at_any_position() -> None:
    harmless = [f"echo {number:03} {'x' * 500}; " for number in range(60)]
    excerpt = make_excerpt(approval_of_pieces(*harmless[:41], "rm -rf /srv/prod; ", *harmless[42:], asks=41))
    shown = shown_pieces(excerpt)

    assert excerpt.clipped
    assert len(shown) == MAX_PIECES
    assert [text for text, verdict in shown if verdict == "ask"] == [
        " … 13797 more characters … rm -rf /srv/prod; "
    ]
    assert shown[0][0].startswith("echo 000")
    assert "echo 059" in shown[-1][0]


@pytest.mark.proves("T-2")
def test_every_piece_of_a_short_command_line_is_unchanged() -> None:
    texts = [f"echo {number} && " for number in range(20)]
    approval = approval_of_pieces(*texts, asks=3)
    padded = replace(approval, call=replace(approval.call, args={**approval.call.args, "note": "y" * 9000}))

    assert make_excerpt(padded).clipped
    assert shown_pieces(make_excerpt(padded)) == [
        (text, "ask" if at == 3 else "run") for at, text in enumerate(texts)
    ]


@pytest.mark.proves("R-27")
@pytest.mark.parametrize("letter", ["x", "\x00", "日", "🙂"])
def test_no_excerpt_exceeds_the_maximum_size(letter: str) -> None:
    long = letter * 100_000
    reason = make_reason(ReasonCode.ASK_RULE, rule=long, source=long, why=long)
    steps = tuple(Step(stage, Verdict.ASK, reason, long, long) for stage in Stage)
    pieces = tuple(Piece(at, Verdict.ASK, reason, long) for at in range(60))
    commands = (letter * 120,) * 500
    fed = (
        DisclosedInput(source=InputSource.FILE, commands=commands, path=letter * 4000, digest="1" * 64),
    ) * 20
    hostile = sample_approval(
        args={"command": long, **{f"{number}{letter * 500}": [letter * 9000] * 3 for number in range(20)}},
        decision=DECISION._replace(
            reason=reason, rule=long, part=long, steps=steps, pieces=pieces, inputs=fed
        ),
        lineage=tuple(f"{number}{letter * 200}" for number in range(500)),
        cwd=long,
        note=long,
        preview={"details": {"before": long, "after": [long] * 9}},
        answer=replace(YES, args={"command": long}, reason=long, rules=(long,) * 50),
    )

    assert len(to_compact_json(excerpt_to_json(make_excerpt(hostile)))) < MAX_EXCERPT_BYTES


def test_a_clipped_approval_lists_input_files_but_no_input_texts() -> None:
    file = DisclosedInput(source=InputSource.FILE, commands=("psql",), path="a.sql", digest="1" * 64)
    text = DisclosedInput(source=InputSource.TEXT, commands=("bash",), argument="command", start=0, end=9000)
    decision = DECISION._replace(inputs=(text, file))

    small = make_excerpt(sample_approval(decision=decision))
    large = make_excerpt(sample_approval(args={"command": "x" * 9000}, decision=decision))

    assert small.approval.decision.inputs == (text, file)
    assert large.approval.decision.inputs == (file,)


def test_an_excerpt_contains_the_stage_that_locks_the_approval() -> None:
    steps = (
        *[Step(Stage.OUTSIDE, Verdict.ASK, text_reason("outside"), part="x" * 900)] * 40,
        LOCKING_STEP,
        *[RUNNING_STEP] * 40,
    )
    excerpt = make_excerpt(sample_approval(decision=DECISION._replace(steps=steps)))

    assert excerpt.clipped
    assert excerpt_to_json(excerpt)["locked"]
    assert [step.stage for step in excerpt.approval.decision.steps] == [
        Stage.OUTSIDE,
        Stage.BREAKER,
        Stage.READ,
    ]


LOCKING_STEP = Step(Stage.BREAKER, Verdict.ASK, text_reason("deletes everything"))
RUNNING_STEP = Step(Stage.READ, Verdict.RUN, text_reason("it only reads"))


@pytest.mark.proves("R-27")
def test_a_clipped_approval_has_no_digest_so_it_cannot_be_approved() -> None:
    large = sample_approval(args={"command": "x" * MAX_WHOLE_BYTES})
    told = excerpt_to_json(make_excerpt(large))

    assert (told["clipped"], told["digest"]) == (True, "")
    assert excerpt_to_json(make_excerpt(sample_approval()))["digest"] == sample_approval().digest


def test_an_excerpt_is_parsed_to_the_original() -> None:
    whole, large = (
        make_excerpt(sample_approval()),
        make_excerpt(sample_approval(args={"command": "x" * 20_000})),
    )

    assert excerpt_from_json(excerpt_to_json(large)) == large._replace(
        approval=replace(large.approval, call_digest="", boot="")
    )
    assert not excerpt_from_json(excerpt_to_json(whole)).clipped


def test_large_arguments_in_an_answer_are_clipped_too() -> None:
    edited = replace(YES, args={"command": "y" * 20_000})
    answered = sample_approval(answer=edited)
    kept_short = make_excerpt(sample_approval(args={"command": "x" * 20_000}))
    later = make_clipped_excerpt(replace(kept_short.approval, answer=edited), kept_short.size)

    assert [make_excerpt(answered).clipped, later.clipped] == [True, True]
    for excerpt in (make_excerpt(answered), later):
        said = excerpt.approval.answer
        assert said == Answer(say=Say.ONCE, by=edited.by, args=said.args if said else None)
        assert len(to_compact_json(excerpt_to_json(excerpt))) < MAX_EXCERPT_BYTES
    assert make_clipped_excerpt(kept_short.approval, kept_short.size).approval is kept_short.approval


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=200), inner, max_size=30),
    max_leaves=200,
)


@given(VALUES, st.integers(min_value=100, max_value=3000))
def test_a_clipped_value_is_small_and_keeps_its_type(value: object, most: int) -> None:
    found = clip_value(value, most)

    assert type(found) is type(value)
    assert len(to_compact_json(found)) <= most or isinstance(value, int)
    assert found == value or len(to_compact_json(value)) > most


@pytest.mark.parametrize("letter", ["x", "ñ", "日", "🙂", "\x00"])
def test_a_long_text_keeps_its_beginning_and_end(letter: str) -> None:
    text = f"head{letter * 10_000}tail"
    found = shorten_text(text, 400)

    assert found.startswith("head")
    assert found.endswith("tail")
    assert len(to_compact_json(found)) < 500


def test_a_small_value_is_not_changed() -> None:
    assert shorten_text("x" * 98, 100) == "x" * 98


def test_a_clipped_step_keeps_the_data_of_its_reason_only_if_the_values_are_short() -> None:
    short = Step(Stage.GRANT, Verdict.RUN, make_reason(ReasonCode.GRANT, rule="sh(ls)"))
    long = Step(Stage.ALLOW_RULE, Verdict.RUN, make_reason(ReasonCode.ALLOW_RULE, rule="x" * 200))
    decision = DECISION._replace(steps=(short, long))
    large = sample_approval(args={"command": "x" * MAX_WHOLE_BYTES}, decision=decision)
    steps = make_excerpt(large).approval.decision.steps

    assert steps[0] == short
    assert (steps[1].reason.code, steps[1].because[:15]) == (ReasonCode.TEXT, "allow rule `xxx")
