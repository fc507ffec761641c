"""Numbers that an address asks for, in whatever somebody wrote there."""


def number_asked(text: str, *, most: int = 10**9) -> int | None:
    """The whole number from 0 to `most`; None for anything else. A text of any length costs nothing."""
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(most))):
        return None
    number = int(text)
    return number if number <= most else None
