"""`generate_image` and `text_to_speech`: made by a provider that an operator configured, kept as files."""

import base64
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from assent.engine.model import as_list, as_object
from assent.hosts.chat.belt import schema
from assent.hosts.chat.belt.addresses import Guard, web
from assent.hosts.chat.belt.arguments import Arguments
from assent.hosts.chat.belt.context import Context
from assent.hosts.chat.belt.fault import FaultError
from assent.hosts.chat.belt.fetch import Answer, Fetcher, Request
from assent.hosts.chat.belt.reach import reach, shown
from assent.hosts.chat.belt.threads import FILES
from assent.hosts.chat.belt.tool import BeltTool, Result, belt_tool
from assent.hosts.chat.belt.write import replace_file

DIRECTORY = "media"
"""Where what was made is kept, below the workspace's root; each file is named by what it holds."""
_SECONDS = 180
_MOST = 50_000_000

_IMAGE = schema.record(
    {"prompt": schema.text("What the image shows.", minLength=1, maxLength=32_000)},
    {"size": schema.text("Width and height.", enum=["1024x1024", "1536x1024", "1024x1536"])},
)
_SPEECH = schema.record(
    {"text": schema.text("What is said.", minLength=1, maxLength=4_096)},
    {"voice": schema.text("Who says it, by the provider's name.", minLength=1, maxLength=60)},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """An endpoint that speaks the protocol of OpenAI, and the model it runs."""

    endpoint: str
    model: str
    key: str = field(default="", repr=False)
    voice: str = "alloy"

    async def post(self, path: str, body: Mapping[str, object]) -> Answer:
        """Ask for something; anything but success is a fault with the provider's own words."""
        place = web(self.endpoint)
        fetcher = Fetcher(Guard((f"{place.host}:{place.port}",)), most=_MOST, seconds=_SECONDS)
        headers = {"Content-Type": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = Request(
            url=self.endpoint.rstrip("/") + path,
            method="POST",
            headers=headers,
            body=json.dumps(body).encode(),
        )
        answer = await fetcher.fetch(request)
        if answer.status != 200 or answer.moved or answer.more:
            raise FaultError(f"the provider answered with status {answer.status}: {answer.text[:300]}")
        return answer


def generate_image(provider: Provider) -> BeltTool:
    """The tool that makes an image."""

    async def work(args: Arguments, context: Context) -> Result:
        body = {
            "model": provider.model,
            "prompt": args.text("prompt"),
            "size": args.text("size", "1024x1024"),
            "n": 1,
        }
        content = _image(await provider.post("/images/generations", body))
        return await kept(content, "png", "image/png", context)

    description = f"Make an image from words. It is kept in `{DIRECTORY}/`."
    tool = belt_tool("generate_image", description, _IMAGE)
    return BeltTool(tool=tool, work=work, seconds=_SECONDS)


def text_to_speech(provider: Provider) -> BeltTool:
    """The tool that makes speech."""

    async def work(args: Arguments, context: Context) -> Result:
        voice = args.text("voice", provider.voice)
        body = {"model": provider.model, "input": args.text("text"), "voice": voice, "response_format": "mp3"}
        answer = await provider.post("/audio/speech", body)
        return await kept(answer.body, "mp3", "audio/mpeg", context)

    description = f"Make speech from text. It is kept in `{DIRECTORY}/`."
    tool = belt_tool("text_to_speech", description, _SPEECH)
    return BeltTool(tool=tool, work=work, seconds=_SECONDS)


async def kept(content: bytes, ending: str, kind: str, context: Context) -> Result:
    """Keep what was made, under a name that no other content has, and say where it is."""
    digest = hashlib.sha256(content).hexdigest()[:20]
    path = reach(os.path.join(context.place.roots[0], DIRECTORY, f"{digest}.{ending}"), context)
    await FILES.run(replace_file, path, shown(path, context), content)
    name = shown(path, context)
    data = {"path": name, "media_type": kind, "bytes": len(content)}
    return Result(text=f"kept as {name} ({len(content):,} bytes)", data=data)


def _image(answer: Answer) -> bytes:
    try:
        found = as_list((as_object(json.loads(answer.text)) or {}).get("data"))
        first = as_object(found[0]) if found else None
        return base64.b64decode(str((first or {})["b64_json"]), validate=True)
    except (ValueError, KeyError):
        raise FaultError("the provider did not answer with an image") from None
