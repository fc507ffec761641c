// Images of a prompt at any size, in a dialog: buttons, keys + - 0, mouse wheel, Escape; fingers pinch as usual.

const STEP = 1.25;
const LEAST = 0.1;
const MOST = 8;

export class ImageZoom {
  constructor(dialog) {
    this.dialog = dialog;
    this.image = dialog.querySelector("img");
    this.area = dialog.querySelector("[data-zoom-area]");
    const buttons = { in: STEP, out: 1 / STEP };
    for (const [name, factor] of Object.entries(buttons)) {
      dialog.querySelector(`[data-zoom-${name}]`).addEventListener("click", () => this.#scale(factor));
    }
    dialog.querySelector("[data-zoom-fit]").addEventListener("click", () => this.#fit());
    dialog.addEventListener("keydown", (event) => this.#press(event));
    this.area.addEventListener("wheel", (event) => this.#turn(event), { passive: false });
  }

  // The images of a question.
  add(root) {
    for (const button of root.querySelectorAll("button[data-zoom]")) {
      const image = button.closest("figure").querySelector("img");
      button.hidden = false;
      button.addEventListener("click", () => this.open(image));
      image.addEventListener("click", () => this.open(image));
    }
  }

  open(image) {
    this.image.src = image.src;
    this.image.alt = image.alt;
    this.dialog.showModal();
    this.image.decode().then(() => this.#fit(), () => {});
  }

  #fit() {
    const { clientWidth, clientHeight } = this.area;
    const { naturalWidth, naturalHeight } = this.image;
    if (naturalWidth) this.#show(Math.min(clientWidth / naturalWidth, clientHeight / naturalHeight));
  }

  #scale(factor) {
    this.#show(this.factor * factor);
  }

  #show(factor) {
    this.factor = Math.min(MOST, Math.max(LEAST, factor));
    // The attribute, not a style: the page's policy allows no styles of its own.
    this.image.width = Math.max(1, Math.floor(this.image.naturalWidth * this.factor));
  }

  #press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = {
      "+": () => this.#scale(STEP),
      "=": () => this.#scale(STEP),
      "-": () => this.#scale(1 / STEP),
      0: () => this.#fit(),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  // With Ctrl, as a touchpad's pinch arrives; without it the wheel scrolls.
  #turn(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.#scale(event.deltaY < 0 ? STEP : 1 / STEP);
  }
}
