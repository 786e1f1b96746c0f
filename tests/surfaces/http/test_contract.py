"""The API matches its OpenAPI document, also for generated requests."""

import json
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assent.gate.preset import CHOICE
from tests.contracts.tree import ROOT
from tools import openapi
from tools.api_page import api_page_text
from tools.openapi import RESPONSE_LINKS

SEED = 20261116
SETTINGS = """\
[checks.positive_data_acceptance]
# What has the right shape may still be something that cannot be done: a rule that does not parse.
expected-statuses = ["2xx", "401", "403", "404", "409", "422", "429"]

[checks.negative_data_rejection]
expected-statuses = ["4xx"]

[[operations]]
# A cursor is opaque: its schema cannot say which ones were given out.
include-operation-id = ["approvals_find", "audit_find", "conversations_find", "definitions_find"]
checks.positive_data_acceptance.expected-statuses = ["2xx", "400", "401", "403", "404"]

[[operations]]
# The server says all the while that it is about to stop.
include-operation-id = "operations_ready"
checks.not_a_server_error.expected-statuses = ["2xx", "4xx", "503"]
checks.positive_data_acceptance.expected-statuses = ["2xx", "503"]
"""


@contextmanager
def _running_server() -> Generator[dict[str, str]]:
    command = [sys.executable, "-m", "tests.surfaces.http.alone"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(60)


@pytest.mark.proves("R-18", "T-35")
def test_generated_requests_find_no_server_error(tmp_path: Path, is_deep_run: bool) -> None:
    settings = tmp_path / "schemathesis.toml"
    settings.write_text(SETTINGS, "utf-8")
    with _running_server() as server:
        command = [
            str(Path(sys.executable).with_name("schemathesis")),
            "--config-file", str(settings),
            "run", str(openapi.DOCUMENT),
            "--url", server["url"],
            "--header", f"Authorization: Bearer {server['token']}",
            "--checks", "all",
            "--max-examples", "200" if is_deep_run else "3",
            "--seed", str(SEED),
            "--generation-database", "none",
            "--workers", "1",
        ]  # fmt: skip
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert run.returncode == 0, run.stdout[-20_000:] + run.stderr[-2_000:]


def test_the_openapi_document_matches_the_routes() -> None:
    assert openapi.DOCUMENT.read_text("utf-8") == openapi.document_text(openapi.openapi_document())


def test_the_api_page_matches_the_openapi_document() -> None:
    found = json.loads(openapi.DOCUMENT.read_text("utf-8"))

    assert openapi.PAGE.read_text("utf-8") == api_page_text(found)


def test_every_operation_has_a_unique_id_and_names_its_audience() -> None:
    found = openapi.openapi_document()
    operations = [one for methods in found["paths"].values() for one in methods.values()]
    names = [one["operationId"] for one in operations]

    assert len(set(names)) == len(names) > 40
    assert [one for one in operations if not one["description"] or not one["x-assent-for"]] == []


def test_requests_cannot_use_words_that_only_presets_may_use() -> None:
    found = openapi.openapi_document()
    asked = [
        (one.get("requestBody"), one.get("parameters"))
        for methods in found["paths"].values()
        for one in methods.values()
    ]
    words = _enum_words(asked, found["components"]["schemas"])

    assert {"forever", "everyone"} <= words
    assert CHOICE not in words


def _enum_words(node: object, schemas: dict[str, object]) -> set[str]:
    """All enum words of a schema and the schemas it refers to."""
    words, waiting, met = set[str](), [node], set[str]()
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            words.update(map(str, [*one.get("enum", ()), one.get("const")]))
            name = str(one.get("$ref", "")).rpartition("/")[2]
            waiting += [*one.values(), *([schemas[name]] if name and name not in met else [])]
            met.add(name)
        elif isinstance(one, list | tuple):
            waiting += one
    return words


def test_every_openapi_link_points_to_existing_operations() -> None:
    names = {
        one["operationId"]
        for methods in openapi.openapi_document()["paths"].values()
        for one in methods.values()
    }
    targets = {target for _, found in RESPONSE_LINKS.values() for target in found}

    assert set(RESPONSE_LINKS) | targets <= names
