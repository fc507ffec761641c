// Keyboard shortcuts of the workspace. Alt+Shift with a letter is free in browsers and screen readers for these
// letters. Single keys are not used, except "?" outside of fields. All can be switched off.

const KEY = "chiron:shortcuts";

export class Shortcuts {
  // `actions`: what each letter does, such as {J: () => …}; `enter`: what Ctrl+Enter does.
  constructor({ actions, enter }) {
    this.dialog = document.getElementById("shortcuts-dialog");
    this.actions = { ...actions, H: () => this.show() };
    this.enter = enter;
    const toggle = this.dialog.querySelector("input[type=checkbox]");
    toggle.checked = this.isOn();
    toggle.addEventListener("change", () => this.#switch(toggle.checked));
    const button = document.getElementById("shortcuts-button");
    button.hidden = false;
    button.addEventListener("click", () => this.show());
    document.addEventListener("keydown", (event) => this.#press(event));
  }

  isOn() {
    try {
      return (localStorage.getItem(KEY) ?? this.state ?? "on") === "on";
    } catch {
      return (this.state ?? "on") === "on";
    }
  }

  show() {
    if (!this.dialog.open) this.dialog.showModal();
  }

  #switch(isOn) {
    this.state = isOn ? "on" : "off";
    try {
      localStorage.setItem(KEY, this.state);
    } catch {
      // It holds for this page.
    }
  }

  #press(event) {
    const isBusy = event.isComposing || event.repeat || document.querySelector("dialog[open]");
    const action = isBusy ? null : this.#action(event);
    if (!action || !this.isOn()) return;
    event.preventDefault();
    action();
  }

  #action(event) {
    const { altKey, shiftKey, ctrlKey, metaKey } = event;
    if (altKey && shiftKey && !ctrlKey && !metaKey) return this.actions[letter(event)];
    if (ctrlKey && !altKey && !shiftKey && !metaKey && event.key === "Enter") return this.enter;
    const isPlain = !altKey && !ctrlKey && !metaKey;
    return isPlain && event.key === "?" && !isTyping(event.target) ? () => this.show() : null;
  }
}

// The letter on the key; where Alt turns it into another sign (macOS), the key's place on the keyboard.
function letter(event) {
  return /^[a-z]$/i.test(event.key) ? event.key.toUpperCase() : event.code.replace(/^Key/, "");
}

function isTyping(target) {
  return target.matches?.("input, textarea, select, [contenteditable]") ?? false;
}
