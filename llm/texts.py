"""Text from outside, made fit for a database."""


def storable(text: str) -> str:
    """Replace what a database cannot hold: NUL characters and halves of surrogate pairs."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
