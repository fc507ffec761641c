"""What fails every browser test: shown once on purpose, so that a silent watcher is noticed."""

from collections.abc import Callable

from playwright.sync_api import BrowserContext

from tests.e2e.waiting import wait_until


def test_an_inline_script_a_script_error_and_another_host_are_all_noticed(
    new_device: Callable[..., BrowserContext], faults: list[str]
) -> None:
    page = new_device().new_page()
    page.goto("/accounts/login/")
    page.evaluate("""() => {
      document.body.append(Object.assign(document.createElement("script"), {textContent: "1"}));
      setTimeout(() => { throw new Error("on purpose"); });
      fetch("http://127.0.0.1:9/").catch(() => null);
    }""")
    wanted = ("Content Security Policy: script-src-elem blocked inline", "on purpose")
    elsewhere = ("request to another host: http://127.0.0.1:9/", "connect-src")

    def all_noticed() -> bool:
        noticed = "\n".join(faults)
        return all(one in noticed for one in wanted) and any(one in noticed for one in elsewhere)

    wait_until(page, all_noticed, "each of the three is noticed")
    faults.clear()
