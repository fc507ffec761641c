"""Text from outside, made fit for a database."""


def storable(text: str) -> str:
    """Replace what a database cannot hold: NUL characters and halves of surrogate pairs."""
    text = text.replace("\0", "\ufffd")
    # Halves of surrogate pairs are not ASCII, and nearly every reply is; asking costs nothing.
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
