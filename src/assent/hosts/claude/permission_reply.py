"""The replies to the client's prompt tool and to its hook; pure functions only.

Measured with client 2.1.325: the prompt tool's reply is one text of JSON, an allow needs the whole input and
a deny needs a message; everything else is a denial that the model reads as a technical error.
"""

import json
from collections.abc import Mapping

from assent.client.client import Outcome, OutcomeKind
from assent.engine.policy.rule import parse_rule
from assent.errors import RuleSyntaxError

_NO_ANSWER = "the call was not decided"


def prompt_reply(outcome: Outcome, original: Mapping[str, object], *, asked: bool = False) -> str:
    """The reply for an outcome; the rules that a person's "always" wrote hold for the client's session.

    `asked` states that a person was asked, so that the arguments may be edited.
    """
    if outcome.kind is not OutcomeKind.RUN:
        return deny_reply(refusal_text(outcome))
    reply: dict[str, object] = {
        "behavior": "allow",
        "updatedInput": dict(outcome.args if asked and outcome.args else original),
    }
    # The client knows neither an end nor a number of uses, so it gets only rules without them.
    lasting = [one.rule for one in outcome.remembered if one.until is None and one.uses is None]
    rules = [rule for text in lasting if (rule := _client_rule(text)) is not None]
    if rules:
        update = {"type": "addRules", "rules": rules, "behavior": "allow", "destination": "session"}
        reply["updatedPermissions"] = [update]
    return json.dumps(reply)


def deny_reply(message: str) -> str:
    """The reply that refuses a call; the model reads the message."""
    return json.dumps({"behavior": "deny", "message": message or _NO_ANSWER})


def hook_reply(word: str, reason: str, *, edited: Mapping[str, object] | None = None) -> str:
    """What the hook prints: `allow`, `ask` or `deny`, the reason, and the arguments that a person changed."""
    output: dict[str, object] = {
        "hookEventName": "PreToolUse",
        "permissionDecision": word,
        "permissionDecisionReason": reason,
    }
    if edited is not None:
        output["updatedInput"] = dict(edited)
    return json.dumps({"hookSpecificOutput": output}) + "\n"


def refusal_text(outcome: Outcome) -> str:
    """The reason of a refusal, for the model; the words of a person come first."""
    if outcome.kind is OutcomeKind.WAIT:
        return "nobody has answered yet"
    if outcome.reason:
        return f"a person denied this call: {outcome.reason}"
    return outcome.message or _NO_ANSWER


def _client_rule(text: str) -> Mapping[str, str] | None:
    """A rule in the client's format; None if the format cannot express the rule."""
    try:
        rule = parse_rule(text)
    except RuleSyntaxError:
        return None
    tool, bracket, rest = rule.text.partition("(")
    if not bracket:
        return {"toolName": tool}
    content = rest.removesuffix(")")
    # The client reads other characters as patterns, so it might allow more than the person saw.
    if tool != "Bash" or any(mark in content for mark in "<:"):
        return None
    return {"toolName": tool, "ruleContent": content}
