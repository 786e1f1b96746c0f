"""A fleet file: the agents, what each may use without asking, and errors that name key and line."""

from dataclasses import replace
from pathlib import Path

import pytest

from assent.config.files import Source
from assent.config.fleet import Fleet, FleetAgent, find_fleet_file, load_fleet, read_fleet
from assent.config.layers import policy_from_preset
from assent.config.policy import Origin
from assent.config.preset import load_preset
from assent.config.workspace import directories_on_disk, gather_facts
from assent.config.written_calls import parse_call
from assent.engine.decide import decide, paths_to_resolve
from assent.engine.policy.rule import Layer, RuleList, parse_rule
from assent.errors import AssentError, ConfigError

FLEET_PRESET = load_preset("fleet")
EXAMPLE = Path(__file__).parent / "arch.yaml"
"""The file that seed 002 shows, with the personas beside it."""


def read_fleet_text(tmp_path: Path, text: str) -> Fleet:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("You work.")
    return read_fleet(Source(str(tmp_path / "arch.yaml"), text.encode()))


def fleet_with_lead(lines: str) -> str:
    return f"archie:\n  persona: a.md\n{lines}"


@pytest.mark.proves("R002-10", "R002-11")
def test_the_file_of_the_seed_is_read_as_it_stands() -> None:
    fleet = load_fleet(str(EXAMPLE))

    assert fleet.lead == FleetAgent(
        id="archie",
        persona=str(EXAMPLE.parent / "personas" / "archie.md"),
        model="claude-opus-4-5",
        allowed_tools=("Bash(npm *)", "Bash(python *)"),
        is_lead=True,
    )
    assert [(agent.id, agent.model, agent.allowed_tools) for agent in fleet.pool] == [
        ("frontend", "", ("Bash(npm *)", "Bash(npx *)", "Bash(node *)")),
        ("backend", "", ("Bash(python *)", "Bash(pip *)", "Bash(pytest *)")),
        ("qa", "", ("Bash(npm test *)", "Bash(pytest *)")),
    ]
    assert (fleet.server, fleet.repository, fleet.find("qa")) == ("arch", str(EXAMPLE.parent), fleet.pool[2])


def test_every_key_is_read(tmp_path: Path) -> None:
    text = """
project: {name: Shop, description: A shop, repo: .}
mcp_name: team
archie:
  persona: a.md
  directory: .
agent_pool:
  - id: web-1
    persona: b.md
    model: opus
    command: docker run --rm -i 'my image'
    max_instances: 3
    permissions: {skip_permissions: true}
github: {repo: acme/shop, default_branch: main, labels: []}
settings: {max_concurrent_agents: 2, mcp_port: 4000, auto_merge: true, token_budget_usd: 5.0, answer_seconds: 60}
"""
    fleet = read_fleet_text(tmp_path, text)

    assert fleet == Fleet(
        path=str(tmp_path / "arch.yaml"),
        lead=FleetAgent(id="archie", persona=str(tmp_path / "a.md"), directory=str(tmp_path), is_lead=True),
        pool=(
            FleetAgent(
                id="web-1",
                persona=str(tmp_path / "b.md"),
                model="opus",
                command=("docker", "run", "--rm", "-i", "my image"),
                max_instances=3,
                skip_permissions=True,
            ),
        ),
        name="Shop",
        description="A shop",
        repository=str(tmp_path),
        server="team",
        github="acme/shop",
        max_agents=2,
        port=4000,
        auto_merge=True,
        answer_seconds=60,
        ignored=("settings.token_budget_usd", "github.default_branch", "github.labels"),
    )


@pytest.mark.proves("R002-3", "R002-8")
def test_tools_of_a_fleet_file_extend_the_defaults_without_duplicates(tmp_path: Path) -> None:
    text = fleet_with_lead("""  permissions:
    allowed_tools: ["Bash(npm *)", "Bash(git status)", "Bash(npm *)"]
agent_pool:
  - {id: frontend, persona: b.md, permissions: {allowed_tools: ["Bash(npm *)"]}}
""")
    fleet = read_fleet_text(tmp_path, text)

    assert fleet.lead.all_allowed_tools(FLEET_PRESET) == (
        *FLEET_PRESET.allow_rule_texts("lead"),
        "Bash(npm *)",
    )
    assert fleet.pool[0].all_allowed_tools(FLEET_PRESET) == (*FLEET_PRESET.allow_rule_texts(), "Bash(npm *)")


def test_another_server_name_is_in_the_names_of_its_tools(tmp_path: Path) -> None:
    allowed = read_fleet_text(tmp_path, fleet_with_lead("")).lead.all_allowed_tools(FLEET_PRESET, "team")

    assert "mcp__team__spawn_agent" in allowed
    assert not [text for text in allowed if "arch" in text]


@pytest.mark.proves("R002-10")
@pytest.mark.parametrize("lines", ["", "  permissions: {}\n", "  permissions: {allowed_tools: []}\n"])
def test_a_missing_section_means_the_defaults(tmp_path: Path, lines: str) -> None:
    lead = read_fleet_text(tmp_path, fleet_with_lead(lines)).lead

    assert lead.all_allowed_tools(FLEET_PRESET) == FLEET_PRESET.allow_rule_texts("lead")


@pytest.mark.proves("R002-10")
@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("[]", 1, "it must hold a mapping, not a list"),
        ("", 1, "it must hold a mapping, not empty"),
        ("archie: {\n", 2, "it is not valid YAML: "),
        (
            "archie: !!python/name:os.system {persona: a.md}\n",
            1,
            "`archie` must be a mapping, not another kind",
        ),
        ("agent_pool: []\n", 1, "`archie` is missing"),
        ("archie: []\n", 1, "`archie` must be a mapping, not a list"),
        ("archie:\n  model: opus\n", 2, "`archie.persona` is missing"),
        ("archie:\n  persona: gone.md\n", 2, "`archie.persona` names `gone.md`, which is no file"),
        (fleet_with_lead("  permissions: []\n"), 3, "`archie.permissions` must be a mapping, not a list"),
        (fleet_with_lead("  model: 5\n"), 3, "`archie.model` must be a text, not a number"),
        (fleet_with_lead("  directory: gone\n"), 3, "`archie.directory` names `gone`, which is no directory"),
        (fleet_with_lead('  command: "a \'b"\n'), 3, "`archie.command` cannot be split into words"),
        (
            fleet_with_lead("  permisions: {}\n"),
            3,
            "unknown key `archie.permisions`; did you mean `permissions`?",
        ),
        (fleet_with_lead("  model: a\n  model: b\n"), 4, "`archie.model` is there twice; first in line 3"),
        (
            fleet_with_lead("  permissions:\n    allowed_tools: Bash\n"),
            4,
            "`archie.permissions.allowed_tools` must be a list, not a text",
        ),
        (
            fleet_with_lead("  permissions:\n    allowed_tools:\n"),
            4,
            "`archie.permissions.allowed_tools` must be a list, not empty",
        ),
        (
            fleet_with_lead("  permissions:\n    allowed_tools:\n      - Bash\n      - 1\n"),
            6,
            "`archie.permissions.allowed_tools` must be a list of texts, not a number",
        ),
        (
            fleet_with_lead("  permissions:\n    allowed_tools:\n      - Bash\n      - 'Bash('\n"),
            6,
            "`archie.permissions.allowed_tools`: invalid rule `Bash(`",
        ),
        (
            fleet_with_lead("  permissions:\n    skip_permissions: 'yes'\n"),
            4,
            "`archie.permissions.skip_permissions` must be `true` or `false`, not a text",
        ),
        (fleet_with_lead("agent_pool: {}\n"), 3, "`agent_pool` must be a list, not a mapping"),
        (fleet_with_lead("agent_pool:\n  - x\n"), 4, "`agent_pool[1]` must be a mapping, not a text"),
        (fleet_with_lead("agent_pool:\n  - persona: b.md\n"), 4, "`agent_pool[1].id` is missing"),
        (fleet_with_lead("agent_pool:\n  - id: web\n"), 4, "`agent_pool[1].persona` is missing"),
        (fleet_with_lead("agent_pool:\n  - id: 3\n"), 4, "`agent_pool[1].id` must be a text, not a number"),
        (
            fleet_with_lead("agent_pool:\n  - id: ../x\n"),
            4,
            "`agent_pool[1].id` is `../x`: an id has at most",
        ),
        (
            fleet_with_lead("agent_pool:\n  - {id: web, persona: b.md}\n  - {id: web, persona: b.md}\n"),
            5,
            "`agent_pool[2].id` is `web`, which line 4 has already",
        ),
        (
            fleet_with_lead("agent_pool:\n  - {id: archie, persona: b.md}\n"),
            4,
            "`agent_pool[1].id` is `archie`, which line 1 has already",
        ),
        (
            fleet_with_lead("agent_pool:\n  - id: web\n    persona: b.md\n    max_instances: 0\n"),
            6,
            "`agent_pool[1].max_instances` must be a whole number above zero, not `0`",
        ),
        (
            fleet_with_lead(
                "agent_pool:\n  - id: web\n    persona: b.md\n    sandbox:\n      enabled: true\n"
            ),
            7,
            "`agent_pool[1].sandbox` is not supported; write the words that start the container",
        ),
        (fleet_with_lead("mcp_name: a__b\n"), 3, "`mcp_name` is `a__b`: a name has"),
        (
            fleet_with_lead("github: {repo: nowhere}\n"),
            3,
            "`github.repo` is `nowhere`: write it as `owner/name`",
        ),
        (fleet_with_lead("settings: {mcp_port: 70000}\n"), 3, "`settings.mcp_port` must be at most 65535"),
        (
            fleet_with_lead("settings: {mcp_transport: pipe}\n"),
            3,
            "`settings.mcp_transport` is `pipe`: expected http or stdio",
        ),
        (fleet_with_lead("setings: {}\n"), 3, "unknown key `setings`; did you mean `settings`?"),
    ],
)
def test_a_mistake_is_an_error_with_the_key_and_the_line(
    tmp_path: Path, text: str, line: int, reason: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        read_fleet_text(tmp_path, text)

    assert caught.value.reason.startswith(reason)
    assert (caught.value.path, caught.value.line) == (str(tmp_path / "arch.yaml"), line)


def test_fleet_yaml_comes_before_arch_yaml(tmp_path: Path) -> None:
    with pytest.raises(AssentError, match=r"there is no fleet\.yaml or arch\.yaml"):
        find_fleet_file(str(tmp_path))
    (tmp_path / "arch.yaml").write_text("")
    assert find_fleet_file(str(tmp_path)) == str(tmp_path / "arch.yaml")
    (tmp_path / "fleet.yaml").write_text("")
    assert find_fleet_file(str(tmp_path)) == str(tmp_path / "fleet.yaml")


# ---- decisions with the tool lists of a fleet ---------------------------------------------------


def decide_in_fleet(root: Path, text: str, *allowed: str) -> str:
    policy = policy_from_preset(FLEET_PRESET, Origin(Layer.SHIPPED))
    rules = {RuleList.ALLOW: tuple(parse_rule(rule) for rule in allowed or FLEET_PRESET.allow_rule_texts())}
    snapshot = replace(policy, rules=rules).snapshot()
    call, tools = parse_call(text, snapshot.tools)
    snapshot = replace(snapshot, tools=tools)
    directories = directories_on_disk(str(root), [str(root)], "/home/user")
    facts = gather_facts(directories, paths_to_resolve(call, snapshot, directories), trusts=lambda _: True)
    decision = decide(call, snapshot, facts)
    return f"{decision.verdict.word} {decision.stage}"


@pytest.mark.supports("R002-2")
@pytest.mark.parametrize("tool", ["Read", "Edit", "Write", "Glob", "Grep", "NotebookEdit"])
def test_file_tools_run_without_asking_in_the_workspace(tmp_path: Path, tool: str) -> None:
    assert decide_in_fleet(tmp_path, f"{tool}(notes.txt)").startswith("run")


@pytest.mark.supports("R002-2")
def test_file_tools_ask_if_a_floor_applies(tmp_path: Path) -> None:
    assert decide_in_fleet(tmp_path, "Edit(.git/config)") == "ask protected-path"
    assert decide_in_fleet(tmp_path, "Read(/etc/shadow)") == "ask outside"


@pytest.mark.proves("R002-5")
@pytest.mark.parametrize(
    "call",
    [
        "mcp__arch__send_message(to=x)",
        "Bash(git add .)",
        "Bash(git commit -m 'x; y')",
        "Bash(git checkout main)",
    ],
)
def test_a_call_that_the_list_covers_does_not_ask(tmp_path: Path, call: str) -> None:
    assert decide_in_fleet(tmp_path, call) == "run allow-rule"


@pytest.mark.proves("R002-9")
@pytest.mark.parametrize(
    "call",
    [
        "Bash(git push)", "Bash(git add . && curl x)", "Bash(git commit -m $(curl x))",
        "Bash(git add . > out)",
        "mcp__arch__spawn_agent", "WebFetch(domain:example.com)", "Bash(gitadd .)",
    ],
)  # fmt: skip
def test_a_call_with_a_part_that_the_list_does_not_cover_asks(tmp_path: Path, call: str) -> None:
    assert decide_in_fleet(tmp_path, call).startswith("ask")


@pytest.mark.proves("R002-9")
def test_a_pattern_without_a_star_matches_only_itself(tmp_path: Path) -> None:
    assert decide_in_fleet(tmp_path, "Bash(make dist)", "Bash(make dist)") == "run allow-rule"
    assert decide_in_fleet(tmp_path, "Bash(make dist now)", "Bash(make dist)") == "ask mode"


@pytest.mark.proves("R002-7")
def test_the_lead_may_do_what_a_worker_may_not(tmp_path: Path) -> None:
    assert (
        decide_in_fleet(tmp_path, "mcp__arch__spawn_agent", *FLEET_PRESET.allow_rule_texts("lead"))
        == "run allow-rule"
    )
    assert (
        decide_in_fleet(tmp_path, "mcp__arch__spawn_agent", *FLEET_PRESET.allow_rule_texts("worker"))
        == "ask mode"
    )
