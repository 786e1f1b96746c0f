"""What a program does that cannot be undone."""

from enum import StrEnum
from typing import NamedTuple


class Loss(StrEnum):
    """What cannot be recovered."""

    DELETES = "deletes"
    """The thing of this kind and name."""
    DELETES_ALL = "deletes-all"
    """Everything of this kind, or in what is named."""
    DESTROYS = "destroys"
    """All that the program of this kind manages, here or in what is named."""
    REMOVES_FILES = "removes-files"
    DISCARDS_CHANGES = "discards-changes"
    """Work that was not committed."""
    REMOVES_UNTRACKED = "removes-untracked"
    ERASES_HISTORY = "erases-history"
    OVERWRITES_REMOTE = "overwrites-remote"
    """What others pushed there."""
    PUBLISHES = "publishes"
    UNPUBLISHES = "unpublishes"
    EMPTIES = "empties"
    CHANGES_ALL = "changes-all"
    """Every row of the named table."""
    ERASES = "erases"
    """Overwrites a disk or a file so that nothing of it is left."""
    MOVES_MONEY = "moves-money"
    DECLARED = "declared-destructive"
    """The owner of the tool or an administrator declared it destructive."""


class Act(NamedTuple):
    """One way in which a program does something that cannot be undone.

    The words of a sub-command are written as they are typed, without the options between them: `a|b` is
    either, `*` stands for a part of a word, `**` for any words.
    """

    words: str
    loss: Loss
    kind: str = ""
    """What sort of thing is lost; `<` is the word before the verb, `>` the first operand."""
    flags: str = ""
    """One of these must be given."""
    unless: str = ""
    """With one of these nothing is lost."""


class Losses(NamedTuple):
    """What a program does that cannot be undone, and which options hold the names of what is lost."""

    acts: tuple[Act, ...]
    valued: str = ""
    """Options that take the next word, so that it is no name."""
    named: str = ""
    """Options whose value is the name."""


class LossesBy(StrEnum):
    """Programs whose irreversible acts need a function of their own, besides `losses`."""

    REPOSITORY = "repository"
    SQL = "sql"
    MONGO = "mongo"
    REDIS = "redis"
    HTTP = "http"
    IMAGE = "image"


PUBLISHES = Losses(
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
CLOUD_VERBS = (
    "delete|delete-*|*:delete|destroy|destroy-*|*:destroy|terminate|terminate-*|purge|purge-*|*-purge"
)
DELETES_IN_CLOUD = Losses(
    (
        Act("s3|storage rb|rm", Loss.DELETES, "bucket or object"),
        Act("rb|rm|del", Loss.DELETES, "bucket or object"),
        Act("s3|storage sync|rsync", Loss.DELETES, "bucket or object", flags="--delete"),
        Act(f"** {CLOUD_VERBS}", Loss.DELETES, "<"),
        Act("** deregister-*|release-*|schedule-key-deletion", Loss.DELETES, "<"),
    ),
    "--profile --region --output --query --project --zone --resource-group -g --subscription --format"
    " --account --configuration --endpoint-url --team --org -o --location --app -a --cluster",
    "--name -n --instance-ids --instance-id --bucket --table-name --stack-name --function-name --id --ids"
    " --cluster-name --db-instance-identifier --key-id --user-name --role-name --queue-url --topic-arn"
    " --image-id",
)
REMOVES_FILES = Losses((Act("", Loss.REMOVES_FILES),))
