"""Images and speech: made by a provider, saved as files, absent without a provider."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from assent.hosts.chat.tools.media import MediaProvider, generate_image_tool, text_to_speech_tool
from tests.hosts.chat.tools.support import Site, make_context, run_site, succeeded_and_text, workspace

PNG = b"\x89PNG\r\n\x1a\n\0picture"


@pytest.fixture
def site() -> Iterator[Site]:
    with run_site() as running:
        yield running


def provider(site: Site) -> MediaProvider:
    return MediaProvider(endpoint=site.url("/v1"), model="painter", key="canary-key")


async def test_an_image_is_generated_and_saved_in_the_workspace(site: Site, tmp_path: Path) -> None:
    root = workspace(tmp_path)
    body = json.dumps({"data": [{"b64_json": base64.b64encode(PNG).decode()}]})
    site.page("/v1/images/generations", body, "application/json")

    result = await generate_image_tool(provider(site)).run_call({"prompt": "a heron"}, make_context(root))

    asked = site.asked[0]
    assert not result.failed
    assert (root / str(result.data["path"])).read_bytes() == PNG
    assert str(result.data["path"]).startswith("media/")
    assert json.loads(asked.body) == {"model": "painter", "prompt": "a heron", "size": "1024x1024", "n": 1}
    assert asked.headers["Authorization"] == "Bearer canary-key"
    assert "canary-key" not in result.text


async def test_speech_is_generated_and_saved_in_the_workspace(site: Site, tmp_path: Path) -> None:
    root = workspace(tmp_path)
    site.page("/v1/audio/speech", b"ID3sound", "audio/mpeg")

    result = await text_to_speech_tool(provider(site)).run_call(
        {"text": "hello", "voice": "heron"}, make_context(root)
    )

    assert (root / str(result.data["path"])).read_bytes() == b"ID3sound"
    assert json.loads(site.asked[0].body)["voice"] == "heron"


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (401, '{"error": "no such key"}', 'the provider answered with status 401: {"error": "no such key"}'),
        (200, "not json", "the provider did not answer with an image"),
        (200, '{"data": []}', "the provider did not answer with an image"),
        (200, '{"data": [{"b64_json": "***"}]}', "the provider did not answer with an image"),
    ],
)
async def test_a_failing_provider_gives_a_clear_error_and_saves_nothing(
    site: Site, tmp_path: Path, status: int, body: str, said: str
) -> None:
    root = workspace(tmp_path)
    site.page("/v1/images/generations", body, "application/json", status)

    result = await generate_image_tool(provider(site)).run_call({"prompt": "a heron"}, make_context(root))

    assert succeeded_and_text(result) == (False, said)
    assert list(root.iterdir()) == []


async def test_a_redirect_of_a_provider_is_not_followed_with_the_key(site: Site, tmp_path: Path) -> None:
    with run_site() as thief:
        site.redirect("/v1/images/generations", thief.url("/take"))

        result = await generate_image_tool(provider(site)).run_call(
            {"prompt": "x"}, make_context(workspace(tmp_path))
        )

        assert result.failed
        assert thief.asked == []


async def test_a_link_instead_of_the_media_directory_is_refused(site: Site, tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    (root / "media").symlink_to(tmp_path / "elsewhere")
    site.page("/v1/audio/speech", b"ID3sound", "audio/mpeg")

    result = await text_to_speech_tool(provider(site)).run_call({"text": "hello"}, make_context(root))

    assert result.failed
    assert list((tmp_path / "elsewhere").iterdir()) == []
