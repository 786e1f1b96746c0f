"""The `generate_image` and `text_to_speech` tools: save media of the operator's provider as files."""

import base64
import hashlib
import json
import os
from collections.abc import Mapping

from assent.engine.base.tool import as_list, as_object
from assent.hosts.chat.tools import schema
from assent.hosts.chat.tools.file_changes import replace_file
from assent.hosts.chat.tools.files import display_path, resolve_path
from assent.hosts.chat.tools.settings import MediaProvider
from assent.hosts.chat.tools.tool import (
    FILE_THREADS,
    Arguments,
    ChatTool,
    ToolContext,
    ToolError,
    ToolResult,
    define_tool,
)
from assent.hosts.chat.tools.web import AddressGuard, Fetcher, FetchRequest, FetchResponse, parse_address

MEDIA_DIRECTORY = "media"
"""Directory of the media files, below the workspace's root."""
_REQUEST_SECONDS = 180
_MAX_RESPONSE_BYTES = 50_000_000

_IMAGE_PARAMETERS = schema.object_schema(
    {"prompt": schema.string_schema("What the image shows.", minLength=1, maxLength=32_000)},
    {"size": schema.string_schema("Width and height.", enum=["1024x1024", "1536x1024", "1024x1536"])},
)
_SPEECH_PARAMETERS = schema.object_schema(
    {"text": schema.string_schema("The text to speak.", minLength=1, maxLength=4_096)},
    {"voice": schema.string_schema("The voice, by the provider's name for it.", minLength=1, maxLength=60)},
)


def generate_image_tool(provider: MediaProvider) -> ChatTool:
    """The tool that generates an image from a prompt."""

    async def generate_image(args: Arguments, context: ToolContext) -> ToolResult:
        body = {
            "model": provider.model,
            "prompt": args.get_text("prompt"),
            "size": args.get_text("size", "1024x1024"),
            "n": 1,
        }
        content = _decode_image(await post_json(provider, "/images/generations", body))
        return await save_media(content, "png", "image/png", context)

    description = f"Make an image from words. It is kept in `{MEDIA_DIRECTORY}/`."
    tool = define_tool("generate_image", description, _IMAGE_PARAMETERS)
    return ChatTool(tool=tool, work=generate_image, seconds=_REQUEST_SECONDS)


def text_to_speech_tool(provider: MediaProvider) -> ChatTool:
    """The tool that generates speech from a text."""

    async def generate_speech(args: Arguments, context: ToolContext) -> ToolResult:
        voice = args.get_text("voice", provider.voice)
        body = {
            "model": provider.model,
            "input": args.get_text("text"),
            "voice": voice,
            "response_format": "mp3",
        }
        response = await post_json(provider, "/audio/speech", body)
        return await save_media(response.body, "mp3", "audio/mpeg", context)

    description = f"Make speech from text. It is kept in `{MEDIA_DIRECTORY}/`."
    tool = define_tool("text_to_speech", description, _SPEECH_PARAMETERS)
    return ChatTool(tool=tool, work=generate_speech, seconds=_REQUEST_SECONDS)


async def post_json(provider: MediaProvider, path: str, body: Mapping[str, object]) -> FetchResponse:
    """Send a request to a provider; raises `ToolError` with the provider's message if it fails."""
    address = parse_address(provider.endpoint)
    guard = AddressGuard((f"{address.host}:{address.port}",))
    headers = {"Content-Type": "application/json"}
    if provider.key:
        headers["Authorization"] = f"Bearer {provider.key}"
    request = FetchRequest(
        url=provider.endpoint.rstrip("/") + path,
        method="POST",
        headers=headers,
        body=json.dumps(body).encode(),
    )
    response = await Fetcher(guard, max_bytes=_MAX_RESPONSE_BYTES, seconds=_REQUEST_SECONDS).fetch(request)
    if response.status != 200 or response.redirect or response.is_truncated:
        raise ToolError(f"the provider answered with status {response.status}: {response.body_text[:300]}")
    return response


async def save_media(content: bytes, ending: str, kind: str, context: ToolContext) -> ToolResult:
    """Save content in the media directory; the file name is the hash of the content."""
    digest = hashlib.sha256(content).hexdigest()[:20]
    path = resolve_path(
        os.path.join(context.directories.roots[0], MEDIA_DIRECTORY, f"{digest}.{ending}"), context
    )
    await FILE_THREADS.run_in_thread(replace_file, path, display_path(path, context), content)
    name = display_path(path, context)
    data = {"path": name, "media_type": kind, "bytes": len(content)}
    return ToolResult(text=f"kept as {name} ({len(content):,} bytes)", data=data)


def _decode_image(response: FetchResponse) -> bytes:
    try:
        found = as_list((as_object(json.loads(response.body_text)) or {}).get("data"))
        first = as_object(found[0]) if found else None
        return base64.b64decode(str((first or {})["b64_json"]), validate=True)
    except (ValueError, KeyError):
        raise ToolError("the provider did not answer with an image") from None
