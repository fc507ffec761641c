// The questions of the running session in this page's memory, with their files: all of them stay within reach without a
// network. Nothing of it is put on the device, and it goes with the page.

const RETRY_MS = 10_000;
const TIMEOUT_MS = 60_000;
// Files beyond that are shown when they can be loaded.
const MOST_BYTES = 128 * 2 ** 20;

export class HeldQuestions {
  // Without an address nothing is held: practice.
  constructor(url) {
    Object.assign(this, { url, questions: new Map(), files: new Map(), bytes: 0, isClosed: false });
    if (url) this.#load();
  }

  // What is held of a question: a fragment of its own, or null.
  get(position) {
    const template = this.questions.get(position);
    return template ? document.importNode(template.content, true) : null;
  }

  // Shows the files of a question: those that are held without a network, of others that they are not there.
  fill(root, { isLost }) {
    for (const figure of root.querySelectorAll("figure.attachment")) {
      const shown = figure.querySelector("img, iframe");
      const address = (figure.dataset.address ??= shown.getAttribute("src"));
      const file = this.files.get(address);
      const isImage = shown.matches("img");
      const isThere = isImage ? shown.complete && shown.naturalWidth > 0 : shown.hasAttribute("src");
      const hasViewer = isImage || navigator.pdfViewerEnabled !== false;
      // A browser shows a PDF in a frame only from its own address.
      const source = isLost ? isImage && file : (file && isImage ? file : address);
      // What is on its way is left alone; what failed is tried again.
      if (!isThere && source && (shown.complete || shown.getAttribute("src") !== source)) shown.src = source;
      shown.hidden = !hasViewer || (!isThere && !source);
      figure.querySelector("[data-missing]").hidden = !isLost || isThere || Boolean(file);
      const link = figure.querySelector("a[download]");
      link.hidden = !isLost || !file;
      if (file) link.href = file;
    }
  }

  // After the end nothing is shown any more but what is open.
  close() {
    this.isClosed = true;
    this.questions.clear();
    for (const file of this.files.values()) URL.revokeObjectURL(file);
    this.files.clear();
    this.bytes = 0;
  }

  // The session goes on after all.
  open() {
    this.isClosed = false;
    if (this.url) this.#load();
  }

  async #load() {
    try {
      const reply = await fetch(this.url, { cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (reply.ok && this.#keep(await reply.text())) return await this.#loadFiles();
    } catch {
      // Tried again, as where something else answers: signed out, or a page of a captive portal.
    }
    setTimeout(() => !this.isClosed && this.#load(), RETRY_MS);
  }

  #keep(html) {
    const page = new DOMParser().parseFromString(html, "text/html");
    if (this.isClosed) return false;
    for (const template of page.querySelectorAll("template")) {
      // Loaded when they are shown, or as a file below.
      for (const shown of template.content.querySelectorAll("figure.attachment :is(img, iframe)")) {
        shown.closest("figure").dataset.address = shown.getAttribute("src");
        shown.removeAttribute("src");
      }
      this.questions.set(Number(template.dataset.position), template);
    }
    return this.questions.size > 0;
  }

  // One after another: nothing that is needed now waits for them.
  async #loadFiles() {
    for (const template of this.questions.values()) {
      for (const figure of template.content.querySelectorAll("figure.attachment")) {
        await this.#loadFile(figure.dataset.address);
      }
    }
  }

  async #loadFile(address) {
    while (!this.isClosed && !this.files.has(address)) {
      try {
        const reply = await fetch(address, { cache: "no-store" });
        const isOther = reply.status >= 500 || reply.status === 429 || reply.headers.get("Content-Type")?.startsWith("text/html");
        if (isOther) throw new TypeError("no file of this site");
        const isTooLarge = this.bytes + Number(reply.headers.get("Content-Length")) > MOST_BYTES;
        if (!reply.ok || isTooLarge) return reply.body?.cancel();
        const file = await reply.blob();
        if (this.isClosed) return undefined;
        this.bytes += file.size;
        this.files.set(address, URL.createObjectURL(file));
      } catch {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }
}
