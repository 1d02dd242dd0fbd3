"""Option --time-limit: one limit for all searches for laws and formulas of a command."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

from gramian._support.time_limit import time_limited
from gramian.cli._errors import say
from gramian.cli._options import add_option, option
from gramian.cli._values import seconds_or_none

DEFAULT = "10"
"""Time limit of a command in seconds, if the user gives none."""
TimeLimit = Annotated[
    Any,
    option(
        None,
        "SECONDS",
        "Stop searching for laws and formulas then, and use what was found; none: never stop.",
        "--time-limit",
        parser=seconds_or_none,
        envvar="GRAMIAN_TIME_LIMIT",
        show_envvar=False,
    ),
]


def limited(command: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command: add the option --time-limit, which holds for all its searches.

    If the limit stops a search, a line on standard error says so.

    Parameters
    ----------
    command : callable
        The function that runs the command, with keyword parameters.
    """

    @wraps(command)
    def run(*, time_limit: float, **given: Any) -> None:
        seconds = None if math.isinf(time_limit) else time_limit
        with time_limited(seconds) as limit:
            try:
                command(**given)
            finally:
                if limit.reached:
                    say(
                        f"the time limit of {time_limit:g} s stopped a search: there may be more "
                        "laws. Say --time-limit none to search to the end"
                    )

    add_option(run, command, "time_limit", DEFAULT, TimeLimit)
    return run
