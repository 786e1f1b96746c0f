"""Editors, debuggers, documents, media, mail and other tools."""

from assent.engine.programs.code_files import LATEXMK
from assent.engine.programs.losses import Loss, Losses, LossPattern
from assent.engine.programs.program import (
    HELP_FLAGS,
    NONE,
    TEXT,
    FileEdits,
    OtherOutput,
    Program,
    ReadCommands,
    Reads,
    SentFiles,
    Writes,
    WriteTarget,
)
from assent.engine.programs.runs import (
    INPUT_INSTRUCTIONS,
    INPUT_OPERANDS,
    INPUT_SESSION,
    RUNS_COMMAND,
    InputRule,
    InputUse,
    RestOfWords,
    Runs,
    Script,
    interpreter_run_entry,
)

_SHOWS = Reads("--json --all --help", NONE)
"""A command that only prints a list."""
_EDITOR = "-c=% --cmd=% +?% -S=# -l=#"

PROGRAMS = (
    Program(
        "pandoc",
        reads=Reads("--version -v", only=True),
        text_options="-F=! --filter=! --pdf-engine=!",
        writes=Writes(
            "-o=> --output=> -f= --from= -t= --to= -s --standalone --pdf-engine= --template= -V= --toc -M="
            " --metadata= --log=> --extract-media=> -H= -B= -A= -c= --css= -F= -L= --filter= --lua-filter= -d="
            " --defaults=",
            WriteTarget.NONE,
        ),
        takes_data=True,
    ),
    Program(
        "assent",
        reads=ReadCommands(
            {
                "check": Reads(
                    "--tool= --args= --mode= --agent= --policy=< --explain --json --batch=< --dialect= --help",
                    TEXT,
                ),
                "modes": _SHOWS,
                "history": _SHOWS,
                "pending": _SHOWS,
                "completion": Reads("", TEXT),
                "rules": ReadCommands({"explain": Reads("--json", TEXT), "test": Reads(""), "packs": _SHOWS}),
                "config": ReadCommands({"explain": _SHOWS}),
                "hook": ReadCommands({"status": _SHOWS}),
                **{
                    noun: ReadCommands({"list": _SHOWS})
                    for noun in "workspace token user grants tools tiers".split()
                },
                "db": ReadCommands({"status": _SHOWS, "check": _SHOWS}),
            },
            flags="--version -h --help",
            bare=True,
        ),
        is_gate=True,
        is_module=True,
    ),
    Program("assent-hook", is_gate=True),
    Program("code", reads=Reads("--version -v", only=True), never_suggest=True),
    Program(
        "vim",
        reads=Reads("--version", only=True),
        text_options=_EDITOR,
        input=(INPUT_SESSION,),
        same_as=("vim = vi",),
        scripts=(
            Script.CALLS,
            Script.CLIENT,
            Script.BANG,
        ),
        output=OtherOutput.EDITOR,
        edits=FileEdits.FROM_INPUT,
    ),
    Program(
        "nvim",
        reads=Reads("--version", only=True),
        text_options=_EDITOR,
        input=(INPUT_SESSION,),
        scripts=(
            Script.CALLS,
            Script.CLIENT,
            Script.BANG,
        ),
        output=OtherOutput.EDITOR,
        edits=FileEdits.FROM_INPUT,
    ),
    Program("nano", reads=Reads("--version", only=True), text_options="-s=! --speller=!"),
    Program(
        "emacs",
        reads=Reads("--version", only=True),
        never_suggest=True,
        input=(INPUT_SESSION,),
        scripts=(Script.CALLS,),
    ),
    Program("starship zoxide", reads=Reads("--version", only=True)),
    Program(
        "fzf",
        reads=Reads("--version", only=True),
        text_options="--preview=! --with-shell=!",
        input=(INPUT_OPERANDS,),
        scripts=(Script.PIECES,),
    ),
    Program(
        "pdflatex xelatex lualatex latex",
        reads=Reads("--version", only=True),
        input=(InputRule(operands=1),),
        scripts=(Script.TEX,),
    ),
    Program("magick convert", reads=Reads("-version --version", only=True), takes_data=True),
    Program("identify", reads=Reads("-version --version", only=True)),
    Program("ffmpeg", reads=Reads("-version", only=True), takes_data=True),
    Program("ffprobe", reads=Reads("-version", only=True)),
    Program("dot", reads=Reads("-V", only=True)),
    Program(
        "latexmk",
        reads=Reads("--version -v", only=True, trust=True),
        text_options="-pdflatex=! -latex=! -xelatex=! -lualatex=!",
        code_files=LATEXMK,
    ),
    Program(
        "bc",
        reads=Reads("-i -l -w -s -q -h -v --interactive --mathlib --warn --standard --quiet" + HELP_FLAGS),
        input=(INPUT_SESSION,),
    ),
    Program("gpg-agent", runs=Runs("--daemon*", rest=RestOfWords.FLAGS)),
    Program(
        "pexec",
        runs=RUNS_COMMAND,
        input=(InputRule(InputUse.OPERANDS, options="-a=; --arg-file=; --version; --help;"),),
    ),
    Program(
        "expect",
        runs=interpreter_run_entry("-c=%; -d -D= -f=; -b -i -n -N -v;"),
        is_interpreter=True,
        scripts=(Script.TCL,),
    ),
    Program(
        "gnuplot",
        runs=interpreter_run_entry("-e=; -p -d -c=;"),
        is_interpreter=True,
        input=(InputRule(options="-e=;", operands=1),),
        scripts=(
            Script.CALLS,
            Script.BACKTICKS,
            Script.CLIENT,
            Script.BANG,
        ),
    ),
    Program(
        "m4", runs=interpreter_run_entry("-D= -I= -U="), is_interpreter=True, scripts=(Script.SYSTEM_MACRO,)
    ),
    Program(
        "dc",
        runs=interpreter_run_entry("-e=%; --expression=%; -f=;"),
        is_interpreter=True,
        scripts=(Script.CLIENT,),
    ),
    Program(
        "ed",
        runs=interpreter_run_entry("-s -p="),
        is_interpreter=True,
        input=(INPUT_SESSION,),
        scripts=(
            Script.CLIENT,
            Script.BANG,
        ),
        output=OtherOutput.EDITOR,
        edits=FileEdits.FROM_INPUT,
    ),
    Program(
        "ex",
        runs=interpreter_run_entry("-c=% --cmd=% +?% -s -u= -S=;"),
        is_interpreter=True,
        input=(INPUT_SESSION,),
        scripts=(
            Script.CALLS,
            Script.CLIENT,
            Script.BANG,
        ),
        output=OtherOutput.EDITOR,
        edits=FileEdits.FROM_INPUT,
    ),
    Program("msmtp", text_options="--passwordeval=!", input=(INPUT_OPERANDS,), does="sends"),
    Program("peco", text_options="--exec=!"),
    Program("pico", text_options="-s=!"),
    Program("neomutt", text_options="-e=%", input=(INPUT_INSTRUCTIONS,), scripts=(Script.PIECES,)),
    Program("lf", text_options="-command=%"),
    Program("vifm", text_options="-c=% +?%"),
    Program("ranger", text_options="--cmd=%"),
    Program("radare2 r2", text_options="-c=% -qc=%", input=(INPUT_SESSION,), scripts=(Script.CLIENT,)),
    Program("rizin", text_options="-c=% -qc=%"),
    Program("weechat", text_options="-r=%"),
    Program("enscript", text_options="-I=! --filter=!"),
    Program("ctags", text_options="--options=# --sort-cmd=!"),
    Program(
        "vi",
        text_options=_EDITOR,
        input=(INPUT_SESSION,),
        scripts=(
            Script.CALLS,
            Script.CLIENT,
            Script.BANG,
        ),
        output=OtherOutput.EDITOR,
        edits=FileEdits.FROM_INPUT,
    ),
    Program(
        "view",
        text_options=_EDITOR,
        input=(INPUT_SESSION,),
        scripts=(
            Script.CLIENT,
            Script.BANG,
        ),
        output=OtherOutput.EDITOR,
    ),
    Program("vimdiff", text_options=_EDITOR),
    Program(
        "gvim",
        text_options=_EDITOR,
        input=(INPUT_SESSION,),
        scripts=(
            Script.CALLS,
            Script.BANG,
        ),
        output=OtherOutput.EDITOR,
    ),
    Program("kak", text_options="-e=% -E=%", input=(INPUT_SESSION,)),
    Program(
        "mutt",
        text_options="-e=%",
        input=(INPUT_INSTRUCTIONS,),
        scripts=(
            Script.CLIENT,
            Script.PIECES,
        ),
    ),
    Program(
        "gpg",
        text_options="--photo-viewer=! --agent-program=!",
        writes=Writes(
            "-o=> --output=> -d --decrypt -e --encrypt -s --sign -a --armor -b --detach-sign --batch --yes -q"
            " --quiet -v -r= --recipient= -u= --local-user= --homedir=> -c --symmetric --verify --import"
            " --export",
            WriteTarget.NONE,
        ),
        input=(
            InputRule(only="--import --gen-key --generate-key --edit-key --command-fd --fast-import --batch"),
        ),
        losses=Losses(
            (
                LossPattern(
                    "", Loss.DELETES, "key", flags="--delete-secret-keys --delete-secret-and-public-key"
                ),
            )
        ),
        same_as=("gpg = gpg2",),
        downloads=True,
        sends=SentFiles.OPERANDS,
    ),
    Program("sk", text_options="--preview=! -c=! --cmd=!", input=(INPUT_OPERANDS,), scripts=(Script.PIECES,)),
    Program(
        "red",
        never_suggest=True,
        input=(INPUT_SESSION,),
        scripts=(
            Script.CLIENT,
            Script.BANG,
        ),
        output=OtherOutput.EDITOR,
        edits=FileEdits.FROM_INPUT,
    ),
    Program("emacsclient", never_suggest=True, input=(INPUT_SESSION,), scripts=(Script.CALLS,)),
    Program(
        "joe jed micro helix hx subl mate gedit kate open xdg-open wscript cscript rundll32 mshta",
        never_suggest=True,
    ),
    Program("jdb cgdb", never_suggest=True, input=(INPUT_SESSION,)),
    Program("gp maxima sage octave-cli", input=(INPUT_SESSION,), scripts=(Script.CALLS,)),
    Program(
        "matlab",
        input=(INPUT_SESSION,),
        scripts=(
            Script.CALLS,
            Script.BANG,
        ),
    ),
    Program("mathematica wolframscript swipl gprolog coqtop dafny", input=(INPUT_SESSION,)),
    Program("sendmail", input=(INPUT_OPERANDS,), does="sends"),
    Program("mail mailx", input=(INPUT_INSTRUCTIONS,), scripts=(Script.CLIENT,), does="sends"),
    Program("Mail nail s-nail", input=(INPUT_INSTRUCTIONS,)),
    Program(
        "gpg2",
        input=(
            InputRule(only="--import --gen-key --generate-key --edit-key --command-fd --fast-import --batch"),
        ),
        losses=Losses(
            (
                LossPattern(
                    "", Loss.DELETES, "key", flags="--delete-secret-keys --delete-secret-and-public-key"
                ),
            )
        ),
        downloads=True,
        sends=SentFiles.OPERANDS,
    ),
    Program("tex pdftex xetex luatex", input=(InputRule(operands=1),), scripts=(Script.TEX,)),
    Program("gs ghostscript", input=(INPUT_SESSION,), scripts=(Script.OUTPUT_PIPE,)),
    Program("clip clip.exe espeak notify-send pbcopy say xclip xsel", takes_data=True),
)
