"""The settings of the tools: an operator's file, parsed strictly, and nothing from a repository."""

from pathlib import Path

import pytest

from assent.config.files import Source
from assent.config.paths import ConfigPaths
from assent.config.table import read_table
from assent.errors import ConfigError
from assent.hosts.chat.tools.media import MediaProvider
from assent.hosts.chat.tools.settings import McpServer, ToolSettings, load_tool_settings, parse_tool_settings
from tests.hosts.chat.tools.support import make_limits

FULL = """
without = ["browser"]
[web]
allow_private = ["127.0.0.1:8080"]
search = "http://127.0.0.1:8888/search"
[command]
environment = ["CARGO_HOME"]
[browser]
executable = "/usr/bin/chromium"
[image]
endpoint = "https://api.example/v1"
model = "painter"
key_variable = "PAINTER_KEY"
[speech]
endpoint = "http://127.0.0.1:9000/v1"
model = "speaker"
voice = "heron"
[collections]
database = "/srv/collections.db"
[limits]
seconds = 60
[mcp.github]
command = ["github-mcp", "--stdio"]
environment = ["GITHUB_TOKEN", "NOT_SET"]
[mcp.far]
url = "https://mcp.example/mcp"
key_variable = "FAR_KEY"
trusted = true
"""
ENVIRON = {"PAINTER_KEY": "k1", "GITHUB_TOKEN": "k2", "FAR_KEY": "k3"}


def parse_settings(text: str, environ: dict[str, str] | None = None) -> ToolSettings:
    return parse_tool_settings(read_table(Source("belt.toml", text.encode())), environ or {})


def test_every_setting_of_a_file_takes_effect() -> None:
    assert parse_settings(FULL, ENVIRON) == ToolSettings(
        disabled_tools=frozenset({"browser"}),
        allow_private=("127.0.0.1:8080",),
        search="http://127.0.0.1:8888/search",
        environment=("CARGO_HOME",),
        chromium="/usr/bin/chromium",
        image=MediaProvider(endpoint="https://api.example/v1", model="painter", key="k1"),
        speech=MediaProvider(endpoint="http://127.0.0.1:9000/v1", model="speaker", voice="heron"),
        collections="/srv/collections.db",
        limits=make_limits(seconds=60),
        mcp=(
            McpServer(name="github", command=("github-mcp", "--stdio"), environment={"GITHUB_TOKEN": "k2"}),
            McpServer(name="far", url="https://mcp.example/mcp", key="k3", trusted=True),
        ),
    )


def test_a_tool_whose_key_is_missing_is_absent() -> None:
    settings = parse_settings(FULL)

    assert settings.image is None
    assert [server.name for server in settings.mcp] == ["github"]


def test_a_key_is_not_shown_with_its_server() -> None:
    assert "k3" not in repr(parse_settings(FULL, ENVIRON).mcp)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("witout = []", "unknown key `witout`; did you mean `without`?"),
        ("[web]\nsearch = 'ftp://x'", "`search` must be an http:// or https:// address"),
        ("[web]\nallow = []", "unknown key `allow`"),
        ("[image]\nmodel = 'x'", "it needs an `endpoint` and a `model`"),
        ("[mcp.a]\ntrusted = true", "it needs either a `command` or a `url`"),
        ("[mcp.a]\ncommand = ['x']\nurl = 'http://x/'", "it needs either a `command` or a `url`"),
        ("[mcp.a__b]\ncommand = ['x']", "an MCP server cannot be called `a__b`"),
        ("[mcp.a_]\ncommand = ['x']", "an MCP server cannot be called `a_`"),
        ("[limits]\nseconds = 0", "must be a whole number above zero"),
        ("[limits]\nminutes = 1", "unknown key `minutes`"),
    ],
)
def test_an_invalid_file_is_refused_with_the_reason(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse_settings(text)

    assert said in str(refused.value)


@pytest.mark.proves("T-12")
def test_a_repository_cannot_configure_the_belt(tmp_path: Path) -> None:
    directories = {name: tmp_path / name for name in ("root", "home", "managed", "user", "data")}
    for directory in directories.values():
        directory.mkdir(mode=0o700)
    (directories["root"] / ".assent").mkdir()
    for hostile in (directories["root"] / "belt.toml", directories["root"] / ".assent" / "belt.toml"):
        hostile.write_text("[mcp.evil]\ncommand = ['evil']\n", "utf-8")
    where = ConfigPaths(
        cwd=str(directories["root"]), **{name: str(directory) for name, directory in directories.items()}
    )

    untouched = load_tool_settings(where, {})
    (directories["managed"] / "belt.toml").write_text("without = ['browser']\n", "utf-8")
    managed = load_tool_settings(where, {})
    (directories["user"] / "belt.toml").write_text("without = ['web_fetch']\n", "utf-8")
    own = load_tool_settings(where, {"ASSENT_COLLECTIONS": "/elsewhere.db"})

    assert untouched == ToolSettings(collections=str(directories["data"] / "collections.db"))
    assert managed.disabled_tools == {"browser"}
    assert (own.disabled_tools, own.collections) == ({"web_fetch"}, "/elsewhere.db")


@pytest.mark.proves("T-19")
def test_a_file_that_others_may_write_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "belt.toml").write_text("", "utf-8")
    (tmp_path / "belt.toml").chmod(0o666)
    here = str(tmp_path)
    where = ConfigPaths(root=here, cwd=here, home=here, managed=here, user=here, data=here)

    with pytest.raises(ConfigError, match="other users may write"):
        load_tool_settings(where, {})
