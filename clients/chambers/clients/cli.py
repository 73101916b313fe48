"""The program `chambers`: every command, and the one edge at which a mistake becomes a sentence and an exit code."""

from __future__ import annotations

import signal
import sys
from typing import Annotated, Any, Final, cast

import typer

from chambers.clients import (
    arguments,
    cli_auditor,
    cli_bench,
    cli_bots,
    cli_close,
    cli_delete,
    cli_docket,
    cli_doctor,
    cli_edition,
    cli_host,
    cli_play,
    cli_tables,
    cli_vault,
    exits,
    surroundings,
)
from chambers.clients.running import Stopped

# typer brings its own copy of click and names only some of its errors; this is the one that they all share.
_Misuse: Final = cast(type[typer.BadParameter], typer.BadParameter.__mro__[2])
_SIGNALLED: Final = 128
# The library of commands exports some of its errors, but not the base of those that a mistyped command raises.
_USAGE: Final[Any] = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
_LEVELS: Final = ("debug", "info", "warning", "error")

app = typer.Typer(
    name="chambers",
    help="Board games of hidden cards, in which a lie can always be proved.",
    epilog="Example: chambers play --seats 3",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
PARTS = (
    cli_play.app,
    cli_host.app,
    cli_close.app,
    cli_bots.app,
    cli_tables.app,
    cli_docket.app,
    cli_delete.app,
    cli_auditor.app,
    cli_doctor.app,
)
for part in PARTS:
    app.registered_commands.extend(part.registered_commands)
app.add_typer(cli_vault.app, name="vault")
app.add_typer(cli_edition.app, name="edition")
app.add_typer(cli_bench.bench, name="bench")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"chambers {surroundings.version()}")
        raise typer.Exit


@app.callback()
def _before(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
    log_level: Annotated[
        str,
        typer.Option(
            "--log-level", help=f"What to log to stderr, from this level up: {', '.join(_LEVELS)}.", metavar="LEVEL"
        ),
    ] = "error",
) -> None:
    from chambers.bus import logs

    if log_level not in _LEVELS:
        raise typer.BadParameter(f"Choose one of: {', '.join(_LEVELS)}.", param_hint="--log-level")
    logs.configure(log_level)


def main() -> int:
    """Run the command line; return 0 when done, 1 for a no, 2 for what could not be, 128 and more after a signal."""
    surroundings.forgiving_streams()
    output = sys.stdout
    try:
        code = app(standalone_mode=False)
        return _flushed(code if isinstance(code, int) else 0)
    except (KeyboardInterrupt, typer.Abort):
        typer.echo("Stopped.", err=True)
        return _SIGNALLED + signal.SIGINT
    except Stopped as stopped:
        typer.echo("Stopped.", err=True)
        return _SIGNALLED + stopped.number
    except SystemExit as leaving:
        # The library of commands leaves with 1 when a pipe is closed, and has replaced the output by then.
        return 0 if sys.stdout is not output else int(leaving.code or 0)
    except BrokenPipeError:
        surroundings.silence_output()
        return 0
    except _USAGE as error:
        error.show()
        if getattr(getattr(error, "param", None), "metavar", "") == "TABLE":
            typer.echo(arguments.WHICH_TABLE, err=True)
        return int(error.exit_code)
    except OSError as error:
        return _unwritten(error)
    except Exception as error:  # noqa: BLE001 - the edge: what another side made up must not end in a page of our code
        return _faulty(error)


def _faulty(error: Exception) -> int:
    from chambers.bus.logs import fault

    # What the error says is left out: it may quote a secret, or what a stranger sent.
    where = "{error} in {place}".format(**fault(error))
    told = "The other side sent something that cannot be made out here, or there is a fault in this program"
    typer.echo(f"{told} ({where}). Try: chambers doctor", err=True)
    return exits.COULD_NOT


def _flushed(code: int) -> int:
    """Return the exit code once everything is written; what failed before has had its sentence."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        if code != exits.COULD_NOT:
            return _unwritten(error)
        surroundings.silence_output()
    return code


def _unwritten(error: OSError) -> int:
    surroundings.silence_output()
    what = error.filename or "The output"
    typer.echo(f"{what} could not be written: {error.strerror or 'the system refused'}.", err=True)
    return exits.COULD_NOT


if __name__ == "__main__":
    sys.exit(main())
