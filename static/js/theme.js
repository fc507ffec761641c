// Light or dark colours: the choice is a cookie, so that the server writes it into the next page at once.
const root = document.documentElement;
const group = document.getElementById("theme-switch");

function show() {
  for (const button of group.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.dataset.theme === (root.dataset.theme ?? "")));
  }
}

function choose(theme) {
  const seconds = theme ? 365 * 24 * 3600 : 0;
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `chiron_theme=${theme}; Path=/; Max-Age=${seconds}; SameSite=Lax${secure}`;
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  show();
}

if (group) {
  group.hidden = false;
  group.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) choose(button.dataset.theme);
  });
  show();
}
