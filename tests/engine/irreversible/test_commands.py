"""Irreversible commands are found by their words, in wrappers and in their input."""

import pytest

from assent.engine.details import MAX_ACTS
from assent.engine.irreversible.commands import catalog_name, irreversible_examples
from tests.engine.irreversible.act_tuples import ActTuple, irreversible_acts_of_bash

DELETES = {
    "kubectl delete namespace prod": ("deletes", "namespace", "prod"),
    "kubectl -n web delete ns/prod": ("deletes", "namespace", "prod"),
    "kubectl --context c delete pods --all": ("deletes", "pod", ""),
    "kubectl delete -f app.yaml": ("deletes", "resource", "app.yaml"),
    "kubectl delete ns prod --dry-run=none": ("deletes", "namespace", "prod"),
    "kubectl delete endpoints web": ("deletes", "endpoints", "web"),
    "oc delete project shop": ("deletes", "project", "shop"),
    "helm uninstall web -n prod": ("deletes", "release", "web"),
    "git push origin :old": ("deletes", "remote branch", "old"),
    "git push origin --delete old": ("deletes", "remote branch", "origin old"),
    "git branch -D old": ("deletes", "branch", "old"),
    "gh repo delete acme/site --yes": ("deletes", "repository", "acme/site"),
    "gh release delete v1": ("deletes", "release", "v1"),
    "gh api -X DELETE repos/acme/site": ("deletes", "resource", "repos/acme/site"),
    "curl -XDELETE https://api.example/v1/x": ("deletes", "resource", "https://api.example/v1/x"),
    "http DELETE api.example/x": ("deletes", "resource", "api.example/x"),
    "docker volume rm data": ("deletes", "volume", "data"),
    "docker image rm web:1": ("deletes", "image", "web:1"),
    "docker secret rm key": ("deletes", "secret", "key"),
    "docker system prune -af": ("deletes-all", "unused containers, networks and images", ""),
    "docker compose down -v": ("deletes-all", "volumes of these services", ""),
    "aws s3 rb s3://bucket --force": ("deletes", "bucket or object", "s3://bucket"),
    "aws ec2 terminate-instances --instance-ids i-1": ("deletes", "instances", "i-1"),
    "gcloud compute instances delete vm1 --zone z": ("deletes", "instances", "vm1"),
    "az group delete --name shop -y": ("deletes", "group", "shop"),
    "heroku apps:destroy web": ("deletes", "apps", "web"),
    "az --verbose delete --name x": ("deletes", "resource", "x"),
    "dropdb -h db.example prod": ("deletes", "database", "prod"),
    "crontab -r": ("deletes", "crontab", ""),
    "git branch --delete --force old": ("deletes", "branch", "old"),
    "hub delete acme/site": ("deletes", "repository", "acme/site"),
    "heroku pg:reset DATABASE_URL": ("deletes", "database", "DATABASE_URL"),
    "vercel remove site": ("deletes", "resource", "site"),
    "aws ecr batch-delete-image --repository-name web": ("deletes", "delete-image", "web"),
    "podman system reset": ("deletes-all", "containers, images and volumes", ""),
    "alembic downgrade base": ("deletes", "database", ""),
    "./manage.py flush --noinput": ("empties", "database", ""),
    "python3 manage.py flush": ("empties", "database", ""),
    "php artisan migrate:fresh --seed": ("deletes-all", "tables", ""),
    "flyway clean": ("deletes-all", "tables", ""),
    "liquibase dropAll": ("deletes-all", "tables", ""),
    "npx sequelize db:drop": ("deletes", "database", ""),
    "npx typeorm schema:drop": ("deletes", "database", ""),
    "knex migrate:rollback --all": ("deletes-all", "tables", ""),
    "dotnet ef database drop": ("deletes", "database", ""),
}
OTHERS = {
    "terraform destroy -auto-approve": ("destroys", "terraform", ""),
    "tofu -chdir=infra apply -destroy": ("destroys", "tofu", ""),
    "pulumi destroy -s prod": ("destroys", "pulumi", "prod"),
    "git push --force": ("overwrites-remote", "", ""),
    "git push -f origin main": ("overwrites-remote", "", "origin main"),
    "git push origin +main": ("overwrites-remote", "", "main"),
    "git -C repo push --force-with-lease": ("overwrites-remote", "", ""),
    "git reset --hard HEAD~3": ("discards-changes", "", "HEAD~3"),
    "git checkout -- src/a.py": ("discards-changes", "", "src/a.py"),
    "git checkout .": ("discards-changes", "", "."),
    "git checkout -f main": ("discards-changes", "", "main"),
    "git restore src": ("discards-changes", "", "src"),
    "git stash clear": ("discards-changes", "", ""),
    "git clean -fdx": ("removes-untracked", "", ""),
    "git filter-branch --all": ("erases-history", "", ""),
    "git reflog expire --expire=now --all": ("erases-history", "", ""),
    "npm publish": ("publishes", "npm", ""),
    "yarn npm publish": ("publishes", "yarn", ""),
    "cargo publish": ("publishes", "cargo", ""),
    "python3 -m twine upload dist/a.whl": ("publishes", "twine", "dist/a.whl"),
    "npm unpublish left-pad": ("unpublishes", "npm", "left-pad"),
    "gem yank rack": ("unpublishes", "gem", "rack"),
    "shred -u key.pem": ("erases", "", "key.pem"),
    "mkfs.ext4 /dev/sdb1": ("erases", "", "/dev/sdb1"),
    "dd if=a.img of=/dev/sdb": ("erases", "", "/dev/sdb"),
    "truncate -s 0 data.db": ("empties", "file", "data.db"),
}


@pytest.mark.parametrize(("line", "told"), [*DELETES.items(), *OTHERS.items()])
@pytest.mark.proves("T-49")
def test_an_irreversible_command_is_found(line: str, told: ActTuple) -> None:
    assert irreversible_acts_of_bash(line) == [told]


@pytest.mark.parametrize(
    "line",
    [
        "git push", "git push origin main", "git push --force -n", "git push --force --dry-run",
        "git push -n origin +main", "git push origin :",
        "git reset HEAD~1", "git clean -nfd", "git checkout main", "git checkout -b feature",
        "git restore --staged src", "git stash", "git branch -d merged", "git log --grep push -f",
        "git commit -m 'push --force'", "npm test", "npm run publish", "npm publish --dry-run", "cargo build",
        "kubectl get ns", "kubectl delete ns prod --dry-run=client", "terraform plan -destroy", "docker ps",
        "docker rm web", "aws s3 ls", "curl https://a.example", "mail -s hello ana@b.example", "dd if=a of=b", "ls -la", "X=1",
        "kubectl delete ns --help", "python3 -m", "frob $(grob)",
    ],
)  # fmt: skip
@pytest.mark.proves("T-49")
def test_a_reversible_or_harmless_command_is_not_found(line: str) -> None:
    assert irreversible_acts_of_bash(line) == []


@pytest.mark.parametrize(
    "line",
    [
        "sudo kubectl delete ns prod",
        "env A=1 timeout 5 kubectl delete ns prod",
        "sh -c 'kubectl delete ns prod'",
        "bash -c \"exec bash -c 'kubectl delete ns prod'\"",
        "true && kubectl delete ns prod || false",
        "echo $(kubectl delete ns prod)",
        "/usr/local/bin/kubectl delete ns prod",
        "kubectl.exe delete ns prod",
        "echo prod | xargs kubectl delete ns",
        "find . -exec kubectl delete ns prod ';'",
        "eval 'kubectl delete ns prod'",
        "bash <<'E'\nkubectl delete ns prod\nE",
    ],
)
@pytest.mark.proves("T-49")
def test_an_irreversible_command_is_found_in_a_wrapper(line: str) -> None:
    assert [one[:2] for one in irreversible_acts_of_bash(line)] == [("deletes", "namespace")]


def test_a_name_that_is_unknown_before_the_run_is_an_ellipsis() -> None:
    assert irreversible_acts_of_bash("for b in $(git branch); do git branch -D $b; done") == [
        ("deletes", "branch", "…")
    ]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("psql -h db.example -c 'DROP TABLE users'", ("deletes", "table", "users")),
        ('mysql -e"drop database shop"', ("deletes", "database", "shop")),
        ("psql --command='TRUNCATE users'", ("empties", "table", "users")),
        ("psql <<< 'DELETE FROM users'", ("deletes-all", "rows", "users")),
        ("psql shop <<'E'\nDROP SCHEMA public CASCADE;\nE", ("deletes", "schema", "public")),
        ("echo 'drop table a' | sqlite3 x.db", ("deletes", "table", "a")),
        ("redis-cli -h db.example FLUSHALL", ("deletes-all", "databases", "")),
        ("echo flushdb | redis-cli", ("deletes-all", "keys", "")),
        ("mongosh --eval 'db.dropDatabase()'", ("deletes", "database", "")),
        ("mongosh shop <<< 'db.users.deleteMany({})'", ("empties", "collection", "users")),
    ],
)
@pytest.mark.proves("T-49")
def test_statements_are_found_in_words_and_input_of_a_client(line: str, told: ActTuple) -> None:
    assert irreversible_acts_of_bash(line) == [told]


def test_only_the_first_of_very_many_acts_are_listed() -> None:
    line = "; ".join(f"kubectl delete ns n{number}" for number in range(MAX_ACTS + 3))

    assert [name for _, _, name in irreversible_acts_of_bash(line)] == [
        f"n{number}" for number in range(MAX_ACTS)
    ]


def test_a_repeated_act_is_listed_once() -> None:
    assert irreversible_acts_of_bash("npm publish; cd x; npm publish") == [("publishes", "npm", "")]


@pytest.mark.parametrize(
    ("words", "some", "others"),
    [
        (("git", "push"), "git push --force", "git reset --hard"),
        (("git",), "git reset --hard", "kubectl delete"),
        (("kubectl",), "kubectl delete", "git push --force"),
        (("aws", "s3"), "aws s3 rb", "aws ses send-*"),
        (("gcloud", "compute"), "gcloud compute delete", "gcloud s3 rb"),
        (("psql",), "psql … DROP TABLE", "psql"),
        (("rm",), "rm", "mail"),
        (("find", "."), "find -delete", "rm"),
    ],
)
def test_a_wider_rule_lists_irreversible_commands_that_it_covers(
    words: tuple[str, ...], some: str, others: str
) -> None:
    assert some in irreversible_examples(words)
    assert others not in irreversible_examples(words)


@pytest.mark.parametrize("words", [(), ("ls",), ("git", "status"), ("npm", "test")])
def test_a_rule_for_reversible_commands_lists_no_examples(words: tuple[str, ...]) -> None:
    assert irreversible_examples(words) == ()


def test_a_program_is_recognized_without_directory_and_extension() -> None:
    assert catalog_name("C:\\Tools\\Kubectl.EXE") == "kubectl"
    assert catalog_name("/sbin/mkfs.ext4") == "mkfs"


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
def test_removing_files_that_no_tool_rebuilds_is_irreversible(line: str, name: str) -> None:
    assert irreversible_acts_of_bash(line) == [("removes-files", "", name)]


@pytest.mark.parametrize(
    "line",
    [
        "rm -rf build node_modules", "rm -rf packages/web/dist", "rm a.pyc", "rm -f *.log", "rm -rf ./target/debug",
        "rm -rf /tmp/acme", "find . -name '*.pyc' -delete", "rm", "rm -rf --", "rsync -a a/ b/",
        "find . -name '*.pyc'",
    ],
)  # fmt: skip
def test_removing_files_that_a_tool_rebuilds_is_no_loss(line: str) -> None:
    assert irreversible_acts_of_bash(line) == []
