"""Create `.venv` and install one hash-pinned list into it; do nothing when that is already done.

    python3 requirements/install.py run|dev

Needs only the standard library. Every failure ends in one sentence that names the remedy.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
FLOOR = (3, 11)
# `dev` contains everything in `run`: having it satisfies a call for either.
LISTS = {"run": ("run", "dev"), "dev": ("dev",)}


def main(wanted: str) -> None:
    refuse_unfit_python()
    if any(stamp(name).is_file() and stamp(name).read_text() == digest(name) for name in LISTS[wanted]):
        return
    try:
        for name in LISTS:
            stamp(name).unlink(missing_ok=True)
    except OSError as error:
        sys.exit(f"{VENV} cannot be used ({error.strerror}). Remove it and run the same command again.")
    if run([sys.executable, "-m", "venv", "--clear", str(VENV)]):
        sys.exit(f"Could not create {VENV}: see above; check that the folder can be written and has room.")
    install(wanted)
    stamp(wanted).write_text(digest(wanted))


def stamp(name: str) -> Path:
    return VENV / f".installed-{name}"


def digest(name: str) -> str:
    """Changes with the list, the interpreter and the place the environment stands in."""
    parts = [(ROOT / "requirements" / f"{name}.txt").read_bytes(), sys.version.encode(), str(VENV).encode()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def refuse_unfit_python() -> None:
    if sys.version_info < FLOOR:
        found = ".".join(map(str, sys.version_info[:3]))
        sys.exit(
            f"Chiron needs Python 3.11 or newer; {sys.executable} is {found}. Try: make PYTHON=python3.12"
        )
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError as error:
        package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
        sys.exit(
            f"This Python comes without {error.name}, which is needed to create .venv. "
            f"Install it and run the same command again:  apt-get install {package}  (Debian, Ubuntu)"
        )


def install(name: str) -> None:
    requirements = ROOT / "requirements" / f"{name}.txt"
    print(
        f"Installing the packages of requirements/{name}.txt into .venv (a minute or two, once) …", flush=True
    )
    pip = [str(VENV / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    command = [
        *pip,
        "install",
        "--quiet",
        "--require-hashes",
        "--only-binary",
        ":all:",
        "-r",
        str(requirements),
    ]
    if run(command):
        sys.exit(
            "The packages could not be installed: see pip's lines above. Check the network (or pip settings) "
            "and run the same command again."
        )


def run(command: list[str]) -> int:
    # A PYTHONPATH or an outer virtual environment must not leak into ours.
    inherited = {key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "PYTHONHOME"}}
    return subprocess.run(command, env=inherited, check=False).returncode


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in LISTS:
        sys.exit("usage: python3 requirements/install.py run|dev")
    main(sys.argv[1])
