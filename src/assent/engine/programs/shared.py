"""Values that the entries of several topics share."""

from assent.engine.programs.program import (
    NONE,
    TEXT,
    Act,
    Input,
    InputRule,
    InputUse,
    Loss,
    Losses,
    ReadCommands,
    ReadEntry,
    Reads,
    Rest,
    RunCommands,
    Runs,
)

HELP = " --help --version"
PYENV_READS: dict[str, ReadEntry] = {
    "versions": Reads("--bare --skip-aliases --skip-envs", NONE),
    "version": Reads("--bare", NONE),
    "version-name": Reads("", NONE),
    "version-origin": Reads("", NONE),
    "which": Reads("", TEXT),
    "whence": Reads("--path", TEXT),
    "root": Reads("", NONE),
    "prefix": Reads("", TEXT),
    "shims": Reads("--short", NONE),
    "commands": Reads("--sh --no-sh", NONE),
    # With a version these set it; without a flag `install` installs.
    "local": Reads("", NONE),
    "global": Reads("", NONE),
    "shell": Reads("", NONE),
    "install": Reads("-l --list", NONE, needs="-l --list"),
}
PYENV = ReadCommands(PYENV_READS, flags="-v --version", bare=True)
READS_TEXT = Reads("", TEXT)


def interpreter(options: str) -> Runs:
    """An interpreter with these options that takes a value."""
    # An option that is not listed may take the next word, which then is no script: see `Options.assumed`.
    return Runs("-* --* " + options, rest=Rest.SCRIPT, input=Input.CODE)


RUNS_COMMAND = Runs()
RUNS_EXEC = RunCommands({"exec": RUNS_COMMAND})
RIPGREP = "--pre=! --hostname-bin=!"
RUNS_AFTER_OPERAND = Runs(operands=1)
RUNS_TEXT = Runs(rest=Rest.TEXT)
RUNS_TEXTS = Runs(rest=Rest.TEXTS)
RUNS_AFTER_DASHES = Runs(marker="--")
RUNS_OPTIONS = Runs(rest=Rest.FLAGS)
RUNS_ON_HOST = Runs(operands=1, again=True, rest=Rest.TEXT, input=Input.SHELL)
INPUT_INSTRUCTIONS = InputRule()
INPUT_OPERANDS = InputRule(InputUse.OPERANDS)
INPUT_SESSION = InputRule(options="--version; --help;")
INPUT_PROMPT = InputRule(options="--version; --help;", operands=1)
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
