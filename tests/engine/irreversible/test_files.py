"""Files that are removed: a person's own are a loss, what a tool makes again is none."""

import pytest

from tests.engine.irreversible.reading import in_shell


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("rm notes.txt", "notes.txt"),
        ("rm -rf src build", "src"),
        ("rm -rf build/../src", "build/../src"),
        ("rm -rf *", "*"),
        ("rm -rf ~/build", "~/build"),
        ("cd /srv && rm -rf build", "build"),
        ("rm -rf /var/lib/x/build", "/var/lib/x/build"),
        ('rm "$f"', ""),
        ("find . -name '*.py' -delete", "."),
        ("find -delete", "."),
        ("find . -type f -exec rm {} +", ""),
        ("git ls-files -o | xargs rm -f", ""),
        ("rsync -a --delete a/ b/", "b/"),
        ("sudo rm notes.txt", "notes.txt"),
    ],
)
@pytest.mark.proves("T-49")
def test_removing_what_nobody_makes_again_is_told(line: str, name: str) -> None:
    assert in_shell(line) == [("removes-files", "", name)]


@pytest.mark.parametrize(
    "line",
    [
        "rm -rf build node_modules", "rm -rf packages/web/dist", "rm a.pyc", "rm -f *.log", "rm -rf ./target/debug",
        "rm -rf /tmp/acme", "find . -name '*.pyc' -delete", "rm", "rm -rf --", "rsync -a a/ b/",
        "find . -name '*.pyc'",
    ],
)  # fmt: skip
def test_what_a_tool_makes_again_is_no_loss(line: str) -> None:
    assert in_shell(line) == []
