"""What a program does that cannot be undone."""

from enum import StrEnum
from typing import NamedTuple


class Loss(StrEnum):
    """The kind of loss that cannot be undone."""

    DELETES = "deletes"
    """The thing of this kind and name is deleted."""
    DELETES_ALL = "deletes-all"
    """Everything of this kind is deleted, or everything in the named thing."""
    DESTROYS = "destroys"
    """Everything that the program manages is destroyed, here or in the named thing."""
    REMOVES_FILES = "removes-files"
    DISCARDS_CHANGES = "discards-changes"
    """Changes that were not committed are lost."""
    REMOVES_UNTRACKED = "removes-untracked"
    ERASES_HISTORY = "erases-history"
    OVERWRITES_REMOTE = "overwrites-remote"
    """Commits that others pushed are lost."""
    PUBLISHES = "publishes"
    UNPUBLISHES = "unpublishes"
    EMPTIES = "empties"
    CHANGES_ALL = "changes-all"
    """Every row of the named table is changed."""
    ERASES = "erases"
    """A disk or a file is overwritten completely."""
    MOVES_MONEY = "moves-money"
    DECLARED = "declared-destructive"
    """The owner of the tool or an administrator declared the tool destructive."""


class LossPattern(NamedTuple):
    """A pattern of words with which a program does something that cannot be undone.

    The words are those of the sub-command, without the options between them: `a|b` means either word,
    `*` a part of a word, and `**` any words.
    """

    words: str
    loss: Loss
    kind: str = ""
    """The kind of thing that is lost; `<` means the word before the verb, `>` the first operand."""
    flags: str = ""
    """Flags of which one must be given."""
    unless: str = ""
    """Flags with which nothing is lost."""


class Losses(NamedTuple):
    """The irreversible acts of a program, and the options that contain the names of lost things."""

    acts: tuple[LossPattern, ...]
    valued: str = ""
    """Options that take the next word as their value, so that this word is no name."""
    named: str = ""
    """Options whose value is the name of the lost thing."""


class LossesBy(StrEnum):
    """Programs whose irreversible acts are found by a function of their own, in addition to `losses`."""

    REPOSITORY = "repository"
    SQL = "sql"
    MONGO = "mongo"
    REDIS = "redis"
    HTTP = "http"
    IMAGE = "image"


PUBLISHES = Losses(
    (
        LossPattern("publish", Loss.PUBLISHES),
        LossPattern("upload", Loss.PUBLISHES),
        LossPattern("trunk|nuget|pub push|publish", Loss.PUBLISHES),
        LossPattern("push", Loss.PUBLISHES),
        LossPattern("yank|unpublish", Loss.UNPUBLISHES),
        LossPattern("nuget|trunk delete", Loss.UNPUBLISHES),
    ),
    "--registry --repository -r --token -p --package --index --manifest-path --version --vers -k --key",
)
CLOUD_VERBS = "delete|delete-*|batch-delete-*|*:delete|destroy|destroy-*|*:destroy|terminate|terminate-*|purge|purge-*|*-purge"
DELETES_IN_CLOUD = Losses(
    (
        LossPattern("s3|storage rb|rm", Loss.DELETES, "bucket or object"),
        LossPattern("rb|rm|del", Loss.DELETES, "bucket or object"),
        LossPattern("remove", Loss.DELETES, "resource"),
        LossPattern("pg:reset", Loss.DELETES, "database"),
        LossPattern("s3|storage sync|rsync", Loss.DELETES, "bucket or object", flags="--delete"),
        LossPattern(f"** {CLOUD_VERBS}", Loss.DELETES, "<"),
        LossPattern("** deregister-*|release-*|schedule-key-deletion", Loss.DELETES, "<"),
    ),
    "--profile --region --output --query --project --zone --resource-group -g --subscription --format"
    " --account --configuration --endpoint-url --team --org -o --location --app -a --cluster",
    "--name -n --instance-ids --instance-id --bucket --table-name --stack-name --function-name --id --ids"
    " --cluster-name --db-instance-identifier --key-id --user-name --role-name --queue-url --topic-arn"
    " --image-id",
)
REMOVES_FILES = Losses((LossPattern("", Loss.REMOVES_FILES),))
