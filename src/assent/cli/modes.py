"""`assent modes`: the table of what each mode does with each effect, printed from the code."""

import json

import click

from assent.cli.terminal import painted_verdict
from assent.engine.model import Effect
from assent.engine.modes import MODE_ALIASES, MODE_VERDICTS, Mode


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
def modes(*, as_json: bool) -> None:
    """Print what each mode does with each effect."""
    if as_json:
        click.echo(json.dumps(_record()))
        return
    widths = [max(len(effect), len("deny")) + 2 for effect in Effect]
    name_width = max(len(mode) for mode in Mode) + 2
    heads = "".join(f"{effect:<{width}}" for effect, width in zip(Effect, widths, strict=True))
    click.echo(f"{'mode':<{name_width}}{heads}".rstrip())
    for mode, row in MODE_VERDICTS.items():
        cells = [
            painted_verdict(verdict) + " " * (width - len(verdict.word))
            for verdict, width in zip(row.values(), widths, strict=True)
        ]
        click.echo(f"{mode:<{name_width}}{''.join(cells)}".rstrip())
    click.echo()
    for mode in Mode:
        if spellings := [word for word, meant in MODE_ALIASES.items() if meant is mode]:
            click.echo(f"{', '.join(spellings)} mean{'s' if len(spellings) == 1 else ''} {mode}")


def _record() -> dict[str, object]:
    table = {
        mode: {effect: verdict.word for effect, verdict in row.items()} for mode, row in MODE_VERDICTS.items()
    }
    return {"modes": table, "aliases": dict(MODE_ALIASES)}
