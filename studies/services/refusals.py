"""What every refusal of a service has in common."""


class Refused(Exception):
    """A service declined; nothing was changed. `str()` is the sentence to show to the person who asked.

    Subclasses stand beside the service that raises them and are named for the fact. Programming errors and
    broken connections are not refusals.
    """
