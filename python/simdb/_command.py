"""The path of the command, and the console script that runs it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from ._errors import Error


def command() -> str:
    """Returns the path of the command in the wheel, otherwise on the PATH."""
    own = Path(__file__).parent / "bin" / ("simdb.exe" if os.name == "nt" else "simdb")
    if own.exists():
        return str(own)
    found = shutil.which("simdb")
    if found is None or Path(found).read_bytes()[:2] == b"#!":  # the console script would only come back here
        raise Error("the command simdb is neither in this package nor on the PATH; install the wheel of your platform")
    return found


def main() -> None:
    """Replaces this process by the command, with the same arguments."""
    args = [command(), *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.call(args))
    os.execv(args[0], args)
