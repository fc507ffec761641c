// Question and answer side by side: how much room each has. Dragged, or moved with the arrow keys; kept on this device.

const KEY = "chiron:question-room";
const LEAST = 25;
const MOST = 75;
const EVEN = 50;
const STEP = 5;

export class Splitter {
  constructor({ bar, panes }) {
    Object.assign(this, { bar, panes });
    bar.hidden = false;
    bar.addEventListener("keydown", (event) => this.#press(event));
    bar.addEventListener("dblclick", () => this.#choose(EVEN));
    bar.addEventListener("pointerdown", (event) => this.#grab(event));
    bar.addEventListener("pointermove", (event) => this.#drag(event));
    bar.addEventListener("lostpointercapture", () => this.#keep());
    this.#show(this.#kept());
  }

  #press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = {
      ArrowLeft: this.room - STEP,
      ArrowRight: this.room + STEP,
      Home: LEAST,
      End: MOST,
      Enter: EVEN,
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    this.#choose(target);
  }

  #grab(event) {
    if (event.button !== 0) return;
    event.preventDefault(); // No text is selected on the way.
    this.bar.setPointerCapture(event.pointerId);
  }

  #drag(event) {
    if (!this.bar.hasPointerCapture(event.pointerId)) return;
    const { left, width } = this.panes.getBoundingClientRect();
    this.#show(((event.clientX - left) / width) * 100);
  }

  #choose(room) {
    this.#show(room);
    this.#keep();
  }

  #show(room) {
    this.room = Math.round(Math.min(MOST, Math.max(LEAST, room)));
    this.panes.style.setProperty("--question-room", `${this.room}%`);
    this.bar.setAttribute("aria-valuenow", String(this.room));
  }

  #keep() {
    try {
      localStorage.setItem(KEY, String(this.room));
    } catch {
      // It holds for this page.
    }
  }

  #kept() {
    try {
      return Number.parseInt(localStorage.getItem(KEY), 10) || EVEN;
    } catch {
      return EVEN;
    }
  }
}
