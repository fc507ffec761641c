"""Loading of what takes long and not everybody needs."""

import threading
from types import ModuleType

_loading = threading.Lock()


def matplotlib_loaded() -> ModuleType:
    """Matplotlib with what figures are made of, loaded by one thread while others wait.

    Its modules import each other: two threads that both begin leave some behind that lack half of their
    names, and no figure is drawn any more by the process.
    """
    with _loading:
        import matplotlib.collections
        import matplotlib.figure
        import matplotlib.patches
        import matplotlib.ticker
    return matplotlib
