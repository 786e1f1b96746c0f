"""`/v1/policy`: which policy counts, and what is wrong with the files if it is not theirs."""

from collections.abc import Iterator

from fastapi import APIRouter

from assent.gate.policy import FilePolicy
from assent.surfaces.http.models.policy import PolicyShown
from assent.surfaces.http.reply import Json
from assent.surfaces.http.serving import Serving
from assent.surfaces.http.strict import StrictRoute
from assent.surfaces.http.who import Administrator

router = APIRouter(prefix="/v1/policy", tags=["policy"], route_class=StrictRoute)


@router.get("", response_model=PolicyShown)
async def look(_: Administrator, service: Serving) -> Json:
    """The version of the policy that counts, its files and rules, and why newer ones do not count."""
    grounds = service.grounds
    return Json(
        {
            "version": grounds.version,
            "store_version": await service.gate.policy_version(),
            "files": list(grounds.files),
            "rules": list(_rules(grounds(""))),
            "error": grounds.error,
        }
    )


def _rules(ground: FilePolicy) -> Iterator[dict[str, object]]:
    for which, rules in ground.rules.items():
        for rule in rules:
            yield {
                "list": which.value,
                "text": rule.text,
                "layer": rule.layer.value,
                "source": rule.source,
                "why": rule.why,
                "match": list(rule.match),
                "never": list(rule.never),
            }
