"""A folder that appears whole or not at all."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from scoring.export.manifest import MANIFEST_NAME, Manifest


class TargetRefused(Exception):
    """The export cannot be written there; `str()` says why and what to do."""


@contextmanager
def new_folder(target: Path, *, replace: bool) -> Iterator[Path]:
    """A temporary folder beside `target` that takes its place when the block ends without an error.

    Raises:
        TargetRefused: `target` exists and is no earlier export, or is one and `replace` is false, or nothing
            can be written beside it.
    """
    target = target.resolve()
    # Nothing is touched but a free name, an empty folder or, with `replace`, an earlier export.
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        try:
            manifest = Manifest.model_validate_json((target / MANIFEST_NAME).read_bytes())
        except (OSError, ValidationError):
            refusal = f"{target} exists and is not an earlier export; name another folder."
            raise TargetRefused(refusal) from None
        if not replace:
            raise TargetRefused(f"{target} holds an earlier export; name another folder or add --replace.")
        known = {MANIFEST_NAME, *(file.name for file in manifest.files)}
        strange = sorted(path.name for path in target.iterdir() if path.name not in known)
        if strange:
            raise TargetRefused(
                f"{target} also holds {strange[0]}, which no export wrote; move it away first."
            )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{target.name}.partial-", dir=target.parent))
    except OSError as error:
        raise TargetRefused(
            f"Cannot write beside {target}: {error.strerror}; name another folder."
        ) from error
    try:
        yield draft
        move_into_place(draft, target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def move_into_place(draft: Path, target: Path) -> None:
    """Rename; an earlier export is put aside first, and put back should the rename fail."""
    if not target.exists():
        draft.rename(target)
        return
    aside = draft.with_name(f"{draft.name}-old")
    target.rename(aside)
    try:
        draft.rename(target)
    except OSError:
        aside.rename(target)
        raise
    shutil.rmtree(aside)
