"""The table of irreversible acts: programs, their sub-commands and flags.

The words of a sub-command are written as they are typed, options between them left out: `a|b` is either,
`*` stands for a part of a word, `**` for any words. A class of things is one row: what a row names, it
names for every program of its kind.
"""

from typing import NamedTuple

from assent.engine.irreversible.act import Loss


class Act(NamedTuple):
    """One way in which a program does what cannot be undone."""

    words: str
    loss: Loss
    kind: str = ""
    """What sort of thing is lost; `<` is the word before the verb, `>` the first operand."""
    flags: str = ""
    """One of these has to be given."""
    unless: str = ""
    """With one of these nothing is lost."""


class Program(NamedTuple):
    """What a program does that cannot be undone, and how its names are found."""

    acts: tuple[Act, ...]
    valued: str = ""
    """Options that take the next word, so that it is no name."""
    named: str = ""
    """Options whose value is the name."""


_GIT = Program(
    (
        Act("push", Loss.OVERWRITES_REMOTE, flags="--force -f --force-with-lease --mirror", unless="-n"),
        Act("push", Loss.DELETES, "remote branch", flags="--delete -d --prune", unless="-n"),
        Act("reset", Loss.DISCARDS_CHANGES, flags="--hard --merge"),
        Act("checkout", Loss.DISCARDS_CHANGES, flags="--force -f"),
        Act("switch", Loss.DISCARDS_CHANGES, flags="--force -f --discard-changes"),
        Act("restore", Loss.DISCARDS_CHANGES, unless="--staged -S"),
        Act("restore", Loss.DISCARDS_CHANGES, flags="--worktree -W"),
        Act("clean", Loss.REMOVES_UNTRACKED, flags="--force -f", unless="-n"),
        Act("rm", Loss.DISCARDS_CHANGES, flags="--force -f", unless="-n --cached"),
        Act("branch", Loss.DELETES, "branch", flags="-D"),
        Act("stash drop|clear", Loss.DISCARDS_CHANGES),
        Act("worktree remove", Loss.DISCARDS_CHANGES, flags="--force -f"),
        Act("submodule deinit", Loss.DISCARDS_CHANGES, flags="--force -f"),
        Act("filter-branch|filter-repo", Loss.ERASES_HISTORY),
        Act("reflog expire|delete", Loss.ERASES_HISTORY, unless="-n"),
        Act("gc", Loss.ERASES_HISTORY, flags="--prune"),
        Act("prune", Loss.ERASES_HISTORY, unless="-n"),
        Act("update-ref", Loss.ERASES_HISTORY, flags="-d"),
    ),
    "-C -c --git-dir --work-tree --namespace -o --push-option --repo --receive-pack --exec -s --source -b -B",
)
_TERRAFORM = Program(
    (
        Act("destroy", Loss.DESTROYS),
        Act("apply", Loss.DESTROYS, flags="-destroy --destroy"),
        Act("run-all|run|stack destroy", Loss.DESTROYS),
        Act("workspace delete", Loss.DELETES, "workspace"),
        Act("state rm", Loss.DELETES, "state entry"),
    ),
    "-chdir -target -var -var-file -state",
    "-target",
)
_PULUMI = Program(
    (
        Act("destroy|down|dn", Loss.DESTROYS, unless="--preview-only"),
        Act("stack rm", Loss.DELETES, "stack"),
        Act("state delete", Loss.DELETES, "state entry"),
    ),
    "-C --cwd -s --stack -m --message",
    "-s --stack",
)
_KUBECTL = Program(
    (
        Act("delete", Loss.DELETES, ">"),
        Act("replace", Loss.DELETES, "resource", flags="--force"),
        Act("delete-project", Loss.DELETES, "project"),
    ),
    "-n --namespace --context --cluster --kubeconfig -l --selector --grace-period --timeout -o --output"
    " --user -f --filename -k --kustomize --as --token -s --server --field-selector --cascade",
    "-f --filename -k --kustomize",
)
_HELM = Program(
    (Act("uninstall|delete|del|un", Loss.DELETES, "release"),),
    "-n --namespace --kube-context --kubeconfig --timeout --cascade --description",
)
_CONTAINERS = Program(
    (
        Act("system prune", Loss.DELETES_ALL, "unused containers, networks and images"),
        Act("volume rm|remove", Loss.DELETES, "volume"),
        Act("volume prune", Loss.DELETES_ALL, "unused volumes"),
        Act("image rm|remove", Loss.DELETES, "image"),
        Act("image prune", Loss.DELETES_ALL, "unused images", flags="-a --all"),
        Act("rmi", Loss.DELETES, "image"),
        Act("rm", Loss.DELETES, "container with its volumes", flags="-v --volumes"),
        Act("compose down|rm", Loss.DELETES_ALL, "volumes of these services", flags="-v --volumes"),
        Act("down", Loss.DELETES_ALL, "volumes of these services", flags="-v --volumes"),
        Act("swarm leave", Loss.DELETES, "swarm", flags="-f --force"),
        Act("secret|config|context|stack rm|remove", Loss.DELETES, "<"),
    ),
    "-H --host -c --context --config -f --file -p --project-name --profile --env-file",
)
_CODE_HOSTS = Program(
    (
        Act("repo|project delete", Loss.DELETES, "repository"),
        Act("release delete|delete-asset", Loss.DELETES, "release"),
        Act("* delete", Loss.DELETES, "<"),
    ),
    "-R --repo -X --method -H --header -F --field -f --raw-field --jq -q -t --template --hostname",
)
_NODE_PACKAGES = Program(
    (
        Act("publish", Loss.PUBLISHES),
        Act("npm publish", Loss.PUBLISHES),
        Act("unpublish", Loss.UNPUBLISHES),
    ),
    "--registry --tag --access --otp -w --workspace -C --dir --filter -F --prefix --cwd",
)
_PUBLISHERS = Program(
    (
        Act("publish", Loss.PUBLISHES),
        Act("upload", Loss.PUBLISHES),
        Act("trunk|nuget|pub push|publish", Loss.PUBLISHES),
        Act("push", Loss.PUBLISHES),
        Act("yank|unpublish", Loss.UNPUBLISHES),
        Act("nuget|trunk delete", Loss.UNPUBLISHES),
    ),
    "--registry --repository -r --token -p --package --index --manifest-path --version --vers -k --key",
)
_CLOUD_VERBS = (
    "delete|delete-*|*:delete|destroy|destroy-*|*:destroy|terminate|terminate-*|purge|purge-*|*-purge"
)
_CLOUDS = Program(
    (
        Act("s3|storage rb|rm", Loss.DELETES, "bucket or object"),
        Act("rb|rm|del", Loss.DELETES, "bucket or object"),
        Act("s3|storage sync|rsync", Loss.DELETES, "bucket or object", flags="--delete"),
        Act(f"** {_CLOUD_VERBS}", Loss.DELETES, "<"),
        Act("** deregister-*|release-*|schedule-key-deletion", Loss.DELETES, "<"),
    ),
    "--profile --region --output --query --project --zone --resource-group -g --subscription --format"
    " --account --configuration --endpoint-url --team --org -o --location --app -a --cluster",
    "--name -n --instance-ids --instance-id --bucket --table-name --stack-name --function-name --id --ids"
    " --cluster-name --db-instance-identifier --key-id --user-name --role-name --queue-url --topic-arn"
    " --image-id",
)
_RSYNC = "--del --delete --delete-before --delete-during --delete-delay --delete-after --delete-excluded"
_REMOVES_FILES = Program((Act("", Loss.REMOVES_FILES),))
_DATABASE = Program(
    (Act("", Loss.DELETES, "database"),), "-h --host -p --port -U --username --maintenance-db"
)
_DISK = Program((Act("", Loss.ERASES),), "-n -t -L -U -s -b -z --iterations --size --type --label")
_VOLUME = Program((Act("", Loss.DELETES, "volume"),))

_NAMES: dict[str, Program] = {
    "git": _GIT,
    "terraform tofu opentofu terragrunt": _TERRAFORM,
    "pulumi": _PULUMI,
    "cdk cdktf sst vagrant eksctl kops": Program(
        (Act("destroy|remove", Loss.DESTROYS), Act("delete", Loss.DELETES, ">")),
        "--profile -p --context -f --name",
    ),
    "serverless sls sam": Program(
        (Act("remove|delete", Loss.DESTROYS),), "--stage -s --region -r --stack-name"
    ),
    "kubectl oc k kubecolor microk8s.kubectl": _KUBECTL,
    "k3s microk8s minikube kind k3d": Program(
        (
            Act("kubectl delete", Loss.DELETES, ">"),
            Act("delete cluster|clusters", Loss.DELETES, "cluster"),
            Act("cluster delete", Loss.DELETES, "cluster"),
            Act("delete", Loss.DELETES, "cluster"),
        ),
        "-p --profile --name -n --kubeconfig",
        "-p --profile --name",
    ),
    "helm helm3": _HELM,
    "argocd": Program((Act("app|cluster|repo|proj delete|rm", Loss.DELETES, "<"),)),
    "flux": Program((Act("delete **", Loss.DELETES, ">"), Act("uninstall", Loss.DESTROYS)), "-n --namespace"),
    "docker podman nerdctl docker-compose podman-compose": _CONTAINERS,
    "gh glab hub": _CODE_HOSTS,
    "npm yarn pnpm bun": _NODE_PACKAGES,
    "cargo gem twine poetry uv hatch flit pdm nuget dotnet dart flutter pod luarocks jsr deno vsce ovsx lerna"
    " changeset conda anaconda": _PUBLISHERS,
    "mix": Program(
        (
            Act("hex.publish", Loss.PUBLISHES),
            Act("hex.retire", Loss.UNPUBLISHES),
            Act("ecto.drop", Loss.DELETES, "database"),
        )
    ),
    "mvn mvnw gradle gradlew sbt": Program(
        (
            Act(
                "** deploy|deploy:deploy|publish|*:publish|publishToMavenCentral|publishSigned",
                Loss.PUBLISHES,
            ),
        )
    ),
    "cabal": Program((Act("upload", Loss.PUBLISHES, flags="--publish"),)),
    "semantic-release": Program((Act("", Loss.PUBLISHES),)),
    "rails rake": Program(
        (
            Act(
                "db:drop|db:drop:all|db:reset|db:migrate:reset|db:purge|db:purge:all",
                Loss.DELETES,
                "database",
            ),
            Act("db:truncate_all", Loss.EMPTIES, "database"),
        )
    ),
    "prisma": Program(
        (
            Act("migrate reset", Loss.EMPTIES, "database"),
            Act("db push", Loss.EMPTIES, "database", flags="--force-reset --accept-data-loss"),
        )
    ),
    "supabase": Program((Act("db reset", Loss.EMPTIES, "database"), Act("** delete", Loss.DELETES, "<"))),
    "aws gcloud az doctl hcloud linode-cli scw ibmcloud oci aliyun openstack fly flyctl heroku vercel netlify"
    " railway wrangler firebase s3cmd s4cmd gsutil mc rclone bq eb copilot upsun platform": _CLOUDS,
    "rm unlink srm grm rimraf del-cli": _REMOVES_FILES,
    "dropdb": _DATABASE,
    "dropuser": Program((Act("", Loss.DELETES, "user"),), "-h --host -p --port -U --username"),
    "mysqladmin mariadb-admin": Program(
        (Act("drop", Loss.DELETES, "database"),), "-u --user -h --host -P --port"
    ),
    "etcdctl": Program((Act("del", Loss.DELETES, "key"),), "--endpoints"),
    "consul": Program((Act("kv delete", Loss.DELETES, "key"),)),
    "vault bao": Program(
        (
            Act("delete", Loss.DELETES, "secret"),
            Act("kv destroy|delete", Loss.DELETES, "secret"),
            Act("kv metadata delete", Loss.DELETES, "secret"),
            Act("secrets|auth disable", Loss.DELETES, "secret"),
        )
    ),
    "pass gopass": Program((Act("rm|remove|delete", Loss.DELETES, "secret"),)),
    "rabbitmqctl": Program(
        (
            Act("delete_*", Loss.DELETES, "queue"),
            Act("purge_queue", Loss.EMPTIES, "queue"),
            Act("reset|force_reset", Loss.DESTROYS),
        )
    ),
    "kafka-topics kafka-topics.sh": Program(
        (Act("", Loss.DELETES, "topic", flags="--delete"),), "", "--topic"
    ),
    "restic": Program((Act("forget", Loss.DELETES, "snapshot"), Act("prune", Loss.ERASES_HISTORY))),
    "borg": Program((Act("delete|prune", Loss.DELETES, "archive"),)),
    "rsync": Program((Act("", Loss.REMOVES_FILES, flags=_RSYNC, unless="-n"),)),
    "find gfind": Program((Act("", Loss.REMOVES_FILES, flags="-delete"),)),
    "truncate": Program((Act("", Loss.EMPTIES, "file"),), "-s --size -r --reference"),
    "shred wipe scrub nwipe mkfs newfs mke2fs mkswap mkntfs mkdosfs blkdiscard": _DISK,
    "wipefs": Program((Act("", Loss.ERASES, flags="-a --all -o --offset"),), "-o --offset -t"),
    "lvremove vgremove pvremove": _VOLUME,
    "zfs zpool": Program((Act("destroy", Loss.DELETES, "volume"), Act("rollback", Loss.DISCARDS_CHANGES))),
    "btrfs": Program((Act("subvolume delete", Loss.DELETES, "volume"),)),
    "cryptsetup": Program((Act("erase|luksErase|luksFormat", Loss.ERASES),)),
    "crontab": Program((Act("", Loss.DELETES, "crontab", flags="-r"),), "-u"),
    "userdel deluser": Program((Act("", Loss.DELETES, "user"),)),
    "gpg gpg2": Program(
        (Act("", Loss.DELETES, "key", flags="--delete-secret-keys --delete-secret-and-public-key"),)
    ),
    "hg": Program(
        (
            Act("strip", Loss.ERASES_HISTORY),
            Act("update|up|checkout", Loss.DISCARDS_CHANGES, flags="-C --clean"),
            Act("revert", Loss.DISCARDS_CHANGES),
            Act("purge", Loss.REMOVES_UNTRACKED),
        )
    ),
    "svn": Program((Act("revert", Loss.DISCARDS_CHANGES),)),
    "p4": Program((Act("obliterate", Loss.ERASES_HISTORY, flags="-y"),)),
    "bfg git-filter-repo": Program((Act("", Loss.ERASES_HISTORY),)),
}
PROGRAMS: dict[str, Program] = {name: program for names, program in _NAMES.items() for name in names.split()}
"""Every program with an irreversible act, by its name."""

KINDS = {
    "ns": "namespace", "po": "pod", "deploy": "deployment", "svc": "service", "sts": "statefulset",
    "ds": "daemonset", "rs": "replicaset", "cm": "configmap", "ing": "ingress", "no": "node",
    "sa": "serviceaccount", "pv": "persistentvolume", "pvc": "persistentvolumeclaim",
    "crd": "customresourcedefinition",
    "crds": "customresourcedefinition", "hpa": "horizontalpodautoscaler", "cj": "cronjob", "ep": "endpoints",
}  # fmt: skip
"""Short words for kinds of things, and the word that a person is told."""
