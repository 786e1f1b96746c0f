"""Commands that are called by more than one name."""

import pytest

from assent.engine.programs.synonyms import spellings
from assent.engine.verdict import Verdict
from tests.engine.given import decided, policy, run


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("docker rm *", "docker -H tcp://h container remove x"),
        ("docker container rm *", "docker rm x"),
        ("docker ps*", "docker container ls -a"),
        ("docker run *", "docker container run alpine"),
        ("docker compose down*", "docker-compose -f a.yml down -v"),
        ("npm install *", "npm i x"),
        ("npm i *", "npm --prefix d add x"),
        ("npm test*", "npm t"),
        ("npx *", "npm exec -- x"),
        ("pip install *", "python3.11 -I -m pip install x"),
        ("pip install *", "pip3 install x"),
        ("pip install *", "python -mpip install x"),
        ("pip install *", "python -W ignore -Im pip install x"),
        ("npm publish*", "npm pub --access public"),
        ("python *", "/usr/bin/python3.12 a.py"),
        ("pytest *", "python -m pytest -q"),
        ("yarn run deploy*", "yarn deploy:all"),
        ("pnpm deploy*", "pnpm run deploy"),
        ("kubectl delete pod *", "kubectl -n x delete po/a"),
        ("kubectl delete namespace *", "oc delete ns prod"),
        ("apt install *", "apt-get -y install x"),
        ("helm uninstall *", "helm delete x"),
        ("terraform destroy*", "terraform apply -destroy"),
        ("chmod 777 *", "chmod -R a+rwx x"),
    ],
)
def test_a_rule_that_forbids_one_forbids_all(rule: str, line: str) -> None:
    snapshot = policy(allow=["terminal.exec"], deny=[f"terminal.exec({rule})"])

    assert decided(run(line), snapshot).verdict is Verdict.DENY


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("docker rm *", "docker image ls"),
        ("npm test*", "npm team ls"),
        ("npm install *", "npm ls"),
        ("yarn run *", "yarn install"),
        ("kubectl delete pod *", "kubectl delete svc a"),
        ("pip install *", "python -m venv x"),
        ("pip install *", "python -mvenv x"),
        ("npm publish*", "npm pack"),
    ],
)
def test_it_forbids_nothing_else(rule: str, line: str) -> None:
    snapshot = policy(allow=["terminal.exec"], deny=[f"terminal.exec({rule})"])

    assert decided(run(line), snapshot).verdict is Verdict.RUN


@pytest.mark.proves("T-20")
@pytest.mark.parametrize(
    ("rule", "line"), [("npm install *", "npm i x"), ("pip install *", "pip3 install x")]
)
def test_an_allow_covers_only_what_it_says(rule: str, line: str) -> None:
    assert decided(run(line), policy(allow=[f"terminal.exec({rule})"])).verdict is Verdict.ASK


def test_a_pattern_of_any_other_program_stays_alone() -> None:
    assert spellings(("make", "*")) == (("make", "*"),)


def test_a_pattern_without_the_name_of_a_script_gets_no_run() -> None:
    assert not [one for one in spellings(("yarn", "*")) if "run" in one]
    assert not [one for one in spellings(("pnpm",)) if "run" in one]
