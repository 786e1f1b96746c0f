"""Server settings come from files, the environment and flags; never from a repository."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assent.config import settings as chat
from assent.config import settings as server
from assent.config.paths import ConfigPaths, find_config_paths
from assent.config.policy_loader import PolicyLoader
from assent.config.settings import (
    OIDC_KEYS,
    SERVER_KEYS,
    ChatSettings,
    ModelSettings,
    OidcSettings,
    ServerSettings,
    load_chat_settings,
    load_server_settings,
)
from assent.errors import AssentError, ConfigError
from assent.gate.question import DEFAULT_PENDING_BYTES


@pytest.fixture
def config_paths(tmp_path: Path) -> ConfigPaths:
    found = find_config_paths(str(tmp_path), {"XDG_CONFIG_HOME": str(tmp_path / "config")})
    for directory in (tmp_path / "managed", tmp_path / "config" / "assent", tmp_path / ".assent"):
        directory.mkdir(parents=True, mode=0o700)
    return replace(found, managed=str(tmp_path / "managed"), root=str(tmp_path))


def write_private_file(path: str, text: str) -> None:
    Path(path).write_text(text, "utf-8")
    Path(path).chmod(0o600)


def test_by_default_the_server_listens_only_on_this_machine(config_paths: ConfigPaths) -> None:
    settings = load_server_settings(config_paths, {})

    assert settings == ServerSettings()
    assert (settings.url, settings.is_loopback) == ("http://127.0.0.1:8722", True)


def test_flags_override_the_environment_which_overrides_the_files(
    config_paths: ConfigPaths,
) -> None:
    write_private_file(
        config_paths.managed_file, '[server]\nhost = "10.0.0.1"\nport = 1\nbase_path = "/m"\nhosts = ["a"]'
    )
    write_private_file(config_paths.user_file, '[server]\nhost = "10.0.0.2"\nport = 2\nbase_path = "/u"')
    environ = {"ASSENT_HOST": "10.0.0.3", "ASSENT_PORT": "3"}

    settings = load_server_settings(config_paths, environ, host="10.0.0.4")

    assert settings == ServerSettings(host="10.0.0.4", port=3, base_path="/u", hosts=("a",))


def test_settings_can_be_set_in_the_environment(config_paths: ConfigPaths) -> None:
    environ = {
        "ASSENT_PUBLIC_URL": "https://assent.example.org",
        "ASSENT_BASE_PATH": "/gate",
        "ASSENT_TLS_CERT": "c.pem",
        "ASSENT_TLS_KEY": "k.pem",
        "ASSENT_HOSTS": "a, b:1",
        "ASSENT_TRUSTED_PROXIES": "10.0.0.0/8, ::1",
    }

    assert load_server_settings(config_paths, environ) == ServerSettings(
        public_url="https://assent.example.org",
        base_path="/gate",
        tls_cert="c.pem",
        tls_key="k.pem",
        hosts=("a", "b:1"),
        trusted_proxies=("10.0.0.0/8", "::1"),
    )


def test_the_secret_of_a_provider_is_read_from_a_separate_file(
    config_paths: ConfigPaths, tmp_path: Path
) -> None:
    write_private_file(str(tmp_path / "secret"), "s3cret\n")
    write_private_file(
        config_paths.user_file,
        '[server.oidc]\nissuer = "https://id.example.org"\nclient_id = "assent"\nadd_people = true\n'
        f'client_secret_file = "{tmp_path}/secret"\nadministrator_groups = ["ops"]',
    )

    assert load_server_settings(config_paths, {}).oidc == OidcSettings(
        issuer="https://id.example.org",
        client_id="assent",
        client_secret="s3cret",
        administrator_groups=("ops",),
        add_people=True,
    )


@pytest.mark.proves("T-12", "T-16")
@pytest.mark.parametrize("layer", ["project_file", "local_file"])
def test_a_repository_cannot_change_server_settings(config_paths: ConfigPaths, layer: str) -> None:
    write_private_file(getattr(config_paths, layer), '[server]\nhost = "0.0.0.0"')

    assert load_server_settings(config_paths, {}).host == "127.0.0.1"
    with pytest.raises(ConfigError, match="only allowed in the user's"):
        PolicyLoader(config_paths, {})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("port = 70000", "at most 65535"),
        ("port = 0", "above zero"),
        ('tls_cert = "c.pem"', "require each other"),
        ('base_path = "assent"', "must start with a slash"),
        ('base_path = "/assent/"', "must not end with one"),
        ('public_url = "assent.example.org"', "http or https"),
        ('public_url = "https://a:b@assent.example.org"', "http or https"),
        ('public_url = "https://assent.example.org/gate"', "`base_path`"),
        ('trusted_proxies = ["proxy.example.org"]', "neither an address nor a network"),
        ("prot = 1", "did you mean `port`"),
        ('[server.oidc]\nissuer = "https://id.example.org"', "needs an `issuer` and a `client_id`"),
        ('[server.oidc]\nisuer = "x"', "did you mean `issuer`"),
    ],
)
def test_invalid_settings_are_refused_with_a_reason(
    config_paths: ConfigPaths, text: str, reason: str
) -> None:
    write_private_file(config_paths.user_file, f"[server]\n{text}")

    with pytest.raises(ConfigError, match=reason):
        load_server_settings(config_paths, {})


def test_a_port_in_the_environment_must_be_a_number(config_paths: ConfigPaths) -> None:
    with pytest.raises(ConfigError, match="ASSENT_PORT"):
        load_server_settings(config_paths, {"ASSENT_PORT": "http"})


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("127.8.9.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False),
     ("::", False), ("10.0.0.1", False), ("localhost.evil", False), ("", False)],
)  # fmt: skip
@pytest.mark.proves("T-16")
def test_only_loopback_addresses_are_local(host: str, expected: bool) -> None:
    assert ServerSettings(host=host).is_loopback is expected


def test_the_json_schema_has_the_keys_of_the_reader() -> None:
    schema = json.loads((Path(server.__file__).parent / "assent.schema.json").read_text("utf-8"))
    properties = schema["properties"]["server"]["properties"]

    assert tuple(properties) == SERVER_KEYS
    assert tuple(properties["oidc"]["properties"]) == OIDC_KEYS


def test_a_file_limits_the_size_of_open_questions_and_the_connections(config_paths: ConfigPaths) -> None:
    Path(config_paths.user_file).parent.mkdir(parents=True, exist_ok=True)
    Path(config_paths.user_file).write_text("[server]\nconnections = 100\npending_mb_per_agent = 5\n")
    Path(config_paths.user_file).chmod(0o600)
    found = load_server_settings(config_paths, {})

    assert (found.connections, found.pending) == (100, DEFAULT_PENDING_BYTES._replace(agent=5_000_000))
    assert (
        load_server_settings(replace(config_paths, user=f"{config_paths.user}-other"), {}).pending
        == DEFAULT_PENDING_BYTES
    )


CHAT_ENVIRONMENT = {"KEY": "secret"}


@pytest.fixture
def chat_paths(tmp_path: Path) -> ConfigPaths:
    for name in ("managed", "user", "work"):
        (tmp_path / name).mkdir()
    return ConfigPaths(
        root=str(tmp_path / "work"),
        cwd=str(tmp_path / "work"),
        home=str(tmp_path),
        managed=str(tmp_path / "managed"),
        user=str(tmp_path / "user"),
        data=str(tmp_path / "data"),
    )


def write_chat_file(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, "utf-8")
    Path(path).chmod(0o600)


def test_by_default_there_is_no_model(chat_paths: ConfigPaths) -> None:
    assert load_chat_settings(chat_paths, {}) == ChatSettings()


def test_one_model_needs_no_name(chat_paths: ConfigPaths) -> None:
    write_chat_file(
        chat_paths.user_file, '[chat]\nmodel = "openai:gpt-5"\nkey_variable = "KEY"\nprompt = "Be brief."'
    )

    one = ModelSettings(model="openai:gpt-5", key="secret")
    expected = ChatSettings(default_model="openai:gpt-5", models={"openai:gpt-5": one}, prompt="Be brief.")
    assert load_chat_settings(chat_paths, CHAT_ENVIRONMENT) == expected
    assert "secret" not in repr(load_chat_settings(chat_paths, CHAT_ENVIRONMENT))


def test_the_users_file_overrides_the_models_of_the_administrator(chat_paths: ConfigPaths) -> None:
    write_chat_file(chat_paths.managed_file, '[chat]\nmodel = "openai:other"')
    write_chat_file(
        chat_paths.user_file,
        '[chat]\nmodel = "near"\n[chat.models.near]\nmodel = "llama"\nbase_url = "http://127.0.0.1:1/v1"\n'
        '[chat.models.far]\nmodel = "anthropic:claude"\nkey_variable = "KEY"',
    )

    assert load_chat_settings(chat_paths, CHAT_ENVIRONMENT) == ChatSettings(
        default_model="near",
        models={
            "near": ModelSettings(model="llama", base_url="http://127.0.0.1:1/v1"),
            "far": ModelSettings(model="anthropic:claude", key="secret"),
        },
    )


def test_a_repository_cannot_change_models(chat_paths: ConfigPaths) -> None:
    write_chat_file(
        chat_paths.project_file, '[chat]\nmodel = "openai:evil"\nbase_url = "http://evil.example/v1"'
    )

    assert load_chat_settings(chat_paths, {}) == ChatSettings()


@pytest.mark.parametrize(
    ("text", "said"),
    [("modle = 1", "did you mean `model`"), ("[chat.models.a]\nbase_url = 'x'", "`model` is required")],
)
def test_an_unknown_or_missing_key_is_an_error(chat_paths: ConfigPaths, text: str, said: str) -> None:
    write_chat_file(chat_paths.user_file, f"[chat]\n{text}")

    with pytest.raises(AssentError, match=said):
        load_chat_settings(chat_paths, {})


def test_every_key_is_in_the_reference() -> None:
    page = Path(__file__).parents[2] / "docs/reference/configuration.md"

    said = page.read_text("utf-8")
    assert [key for key in (*chat.CHAT_KEYS[:4], *chat.MODEL_KEYS) if f"`{key}`" not in said] == []
