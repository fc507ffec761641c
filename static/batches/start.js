// Going back to the start page after the start leads to the running session, also where the browser kept the page.

window.addEventListener("pageshow", (event) => event.persisted && window.location.reload());
