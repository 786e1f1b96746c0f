"""Facts as JSON: the place of a call and what its file system said."""

from collections.abc import Mapping

from assent.engine.facts import Facts, Place
from assent.wire.fields import Fields


def facts_to_json(facts: Facts) -> dict[str, object]:
    """The facts; names of files are kept as the file system gave them."""
    return {
        "place": _place_to_json(facts.place),
        "real": {path: list(found) for path, found in facts.real.items()},
        "contents": dict(facts.contents),
        "trusted_repository": facts.trusted_repository,
    }


def facts_from_json(data: object, within: str = "facts") -> Facts:
    """The facts that such an object says."""
    fields = Fields(data, within)
    real = Fields(fields.raw("real"), fields.path("real"))
    contents: Mapping[str, object] = fields.table("contents") if fields.has("contents") else {}
    return Facts(
        place=_place(fields.raw("place"), fields.path("place")),
        real={path: real.texts(path) for path in fields.table("real")},
        contents={path: Fields(contents, fields.path("contents")).text(path) for path in contents},
        trusted_repository=fields.flag("trusted_repository", default=False),
    )


def _place_to_json(place: Place) -> dict[str, object]:
    return {
        "roots": list(place.roots),
        "cwd": place.cwd,
        "home": place.home,
        "case_sensitive": place.case_sensitive,
    }


def _place(data: object, within: str) -> Place:
    fields = Fields(data, within)
    return Place(
        roots=fields.texts("roots"),
        cwd=fields.text("cwd"),
        home=fields.text("home", ""),
        case_sensitive=fields.flag("case_sensitive", default=True),
    )
