"""Views that are loaded when their address is first asked for.

Most processes never show most pages: a worker, a command or a check needs their addresses only. So URLconfs
name a page's module instead of importing it; `tests/architecture` loads every one of them.
"""

from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from typing import Any

from django.http import HttpResponseBase


class LateViews:
    """The views of a module, each as an attribute: `LateViews("judging.views.judges").staff_judges`."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Callable[..., HttpResponseBase]:
        return LateView(self._module, name)


class LateView:
    """A view by its module and name. What is asked of it beside these, such as whether it is exempt from the
    check of forms, is asked of the view itself.
    """

    def __init__(self, module: str, name: str) -> None:
        self.__module__, self.__name__, self.__qualname__ = module, name, name

    @cached_property
    def view(self) -> Any:
        """The view itself. Raises ImportError or AttributeError where the URLconf is wrong."""
        return getattr(import_module(self.__module__), self.__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.view(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        # Django looks for the first to name a view, which would load all of them; the other is missing where
        # the URLconf is wrong.
        if name in {"view_class", "view"}:
            raise AttributeError(f"{self.__module__} has no view {self.__name__}")
        return getattr(self.view, name)
