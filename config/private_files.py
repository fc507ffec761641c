"""Files that only the account of the site may read: the database, people's files, mails, secrets.

What processes write is private by their umask. What an earlier version wrote is narrowed at the start.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from stat import S_IMODE, S_ISLNK

import structlog

OTHERS = 0o077
# What only a data folder holds. Somebody may have named /srv, or the folder of the code, as one.
OURS = frozenset({"chiron.sqlite3", "secret_key", "second_factor_key", "media", "broker"})

log = structlog.get_logger("chiron.files")


def set_private_umask() -> None:
    """From now on this process creates folders as 0700 and files as 0600, whatever it was started under."""
    os.umask(OTHERS)


def restrict_permissions(folder: Path) -> None:
    """Take all rights in `folder` from other accounts, and say so in the log. Links are not followed.

    The folder itself comes first, which closes all of it. An entry of it comes after what it holds, so one
    that is private is done with: a start looks at a few entries, not at every file. A folder that holds
    other things and nothing of ours is left as it is.
    """
    folder = folder.resolve()
    names = {path.name for path in folder.iterdir()}
    if names and not names & OURS:
        if _is_wide(folder):
            log.error("other accounts have rights in the data folder, which holds nothing of the site's yet")
        return
    entries = (path for path in folder.iterdir() if _is_wide(path))
    narrowed, failed = 0, 0
    for path in filter(_is_wide, chain([folder], chain.from_iterable(map(_tree, entries)))):
        try:
            path.chmod(S_IMODE(path.stat().st_mode) & ~OTHERS)
            narrowed += 1
        except FileNotFoundError:
            continue  # a mail that was sent, a message that was taken
        except OSError:
            failed += 1
    if narrowed:
        log.warning("other accounts had rights in the data folder and have none now", paths=narrowed)
    if failed:
        log.error("other accounts keep rights in the data folder; run chmod -R go= on it", paths=failed)


def exposed_paths(folder: Path) -> list[Path]:
    """The folder and everything in it on which other accounts have rights."""
    return list(filter(_is_wide, _tree(folder.resolve())))


def _tree(path: Path) -> Iterator[Path]:
    """What a folder holds, each after its own content, then the folder; a file alone."""
    for folder, _folders, names in os.walk(path, topdown=False):
        yield from (Path(folder, name) for name in names)
        if Path(folder) != path:
            yield Path(folder)
    yield path


def _is_wide(path: Path) -> bool:
    with suppress(OSError):
        mode = path.lstat().st_mode
        return bool(mode & OTHERS) and not S_ISLNK(mode)
    return False
