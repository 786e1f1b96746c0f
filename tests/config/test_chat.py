"""Which models a chat offers is said in a person's or an administrator's file, and nowhere else."""

from pathlib import Path

import pytest

from assent.config import chat
from assent.config.chat import ChatSettings, ModelSettings, load_chat
from assent.config.whereabouts import Whereabouts
from assent.errors import AssentError

ENVIRON = {"KEY": "secret"}


@pytest.fixture
def where(tmp_path: Path) -> Whereabouts:
    for name in ("managed", "user", "work"):
        (tmp_path / name).mkdir()
    return Whereabouts(
        root=str(tmp_path / "work"),
        cwd=str(tmp_path / "work"),
        home=str(tmp_path),
        managed=str(tmp_path / "managed"),
        user=str(tmp_path / "user"),
        data=str(tmp_path / "data"),
    )


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, "utf-8")
    Path(path).chmod(0o600)


def test_without_a_word_there_is_no_model(where: Whereabouts) -> None:
    assert load_chat(where, {}) == ChatSettings()


def test_one_model_needs_no_name(where: Whereabouts) -> None:
    write(where.user_file, '[chat]\nmodel = "openai:gpt-5"\nkey_variable = "KEY"\nprompt = "Be brief."')

    one = ModelSettings(model="openai:gpt-5", key="secret")
    expected = ChatSettings(usual="openai:gpt-5", models={"openai:gpt-5": one}, prompt="Be brief.")
    assert load_chat(where, ENVIRON) == expected
    assert "secret" not in repr(load_chat(where, ENVIRON))


def test_several_models_have_names_and_the_persons_file_counts_more(where: Whereabouts) -> None:
    write(where.managed_file, '[chat]\nmodel = "openai:other"')
    write(
        where.user_file,
        '[chat]\nmodel = "near"\n[chat.models.near]\nmodel = "llama"\nbase_url = "http://127.0.0.1:1/v1"\n'
        '[chat.models.far]\nmodel = "anthropic:claude"\nkey_variable = "KEY"',
    )

    assert load_chat(where, ENVIRON) == ChatSettings(
        usual="near",
        models={
            "near": ModelSettings(model="llama", base_url="http://127.0.0.1:1/v1"),
            "far": ModelSettings(model="anthropic:claude", key="secret"),
        },
    )


def test_a_repository_says_nothing_of_models(where: Whereabouts) -> None:
    write(where.project_file, '[chat]\nmodel = "openai:evil"\nbase_url = "http://evil.example/v1"')

    assert load_chat(where, {}) == ChatSettings()


@pytest.mark.parametrize(
    ("text", "said"),
    [("modle = 1", "did you mean `model`"), ("[chat.models.a]\nbase_url = 'x'", "needs a `model`")],
)
def test_what_nobody_would_look_at_is_an_error(where: Whereabouts, text: str, said: str) -> None:
    write(where.user_file, f"[chat]\n{text}")

    with pytest.raises(AssentError, match=said):
        load_chat(where, {})


def test_every_key_is_in_the_reference() -> None:
    page = Path(__file__).parents[2] / "docs/reference/configuration.md"

    said = page.read_text("utf-8")
    assert [key for key in (*chat.KEYS[:4], *chat.MODEL_KEYS) if f"`{key}`" not in said] == []
