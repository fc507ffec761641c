// Which question the page shows. Others are put into its place without another page being loaded: from memory, or from
// the server where they are not held. So Next and Previous work without a network.

import { fill, gettext } from "../js/texts.js";
import { Work } from "./work.js";

// How long going on waits for what was written to be saved: afterwards that goes on beside it, or by the next page.
const SAVE_MS = 1_000;
const LEAVE_MS = 3_000;
const TIMEOUT_MS = 10_000;

export class Workplace extends EventTarget {
  // Events: "opened" with detail {work} for each question before it is worked on, "shown".
  constructor({ panes, list, held, line, views, zoom }) {
    super();
    Object.assign(this, { list, held, line, views, zoom });
    this.pane = panes.querySelector("#question-pane");
    this.works = new Map();
    this.shown = null;
    this.isOver = false;
    this.isLeavingToSignIn = false;
    this.moves = 0;
  }

  get opened() {
    return [...this.works.values()];
  }

  // The oldest first.
  get unsaved() {
    const works = this.opened.filter((work) => work.saver.unsaved);
    return works.sort((one, other) => one.saver.editedAt - other.saver.editedAt);
  }

  // What was refused, or overtaken by another page: the person's to decide.
  get undecided() {
    return this.unsaved.filter(({ saver }) => ["refused", "stale"].includes(saver.state));
  }

  // The question that the page came with, when everything listens.
  begin() {
    const work = new Work(pieces(document));
    this.suffix = document.title.slice(document.title.indexOf(work.name) + work.name.length);
    work.isSeen = true;
    work.take(work.nodes, this.zoom);
    this.held.fill(this.pane, this.line);
    this.#begin(work);
    document.addEventListener("click", (event) => this.#follow(event));
    window.addEventListener("popstate", () => this.#goBack());
    window.addEventListener("beforeunload", (event) => this.#mayLose() && event.preventDefault());
    this.line.addEventListener("found", () => this.#catchUp());
    this.line.addEventListener("lost", () => this.held.fill(this.pane, this.line));
  }

  go(step) {
    const position = this.shown.position + step;
    return this.list.address(position) === null ? undefined : this.open(position);
  }

  // Shows a question; where that is not possible now, says so and leaves everything as it is.
  async open(position, { isBack = false } = {}) {
    const move = ++this.moves;
    if (position === this.shown.position) return;
    await this.#settle(SAVE_MS);
    if (move !== this.moves || (!isBack && this.undecided.includes(this.shown))) return;
    const address = this.list.address(position);
    const work = this.works.get(position) ?? this.#held(position) ?? (await this.#loaded(position));
    const nodes = work && (work.nodes ?? (await this.#loaded(position))?.nodes ?? null);
    if (move !== this.moves) return;
    if (!work && this.line.isLost) this.#sayNotHeld(position, isBack);
    else if (!work || (this.isOver && !this.works.has(position))) await this.leave(address);
    else this.#show(work, nodes, isBack ? null : address);
  }

  // Another page. What needs a decision comes before handing in. Where the page cannot be reached, this one stays, which is better than the browser's own.
  async leave(address, { isToSignIn = false, isToFinish = false } = {}) {
    await this.#settle(LEAVE_MS);
    const [undecided] = isToFinish ? this.undecided : [];
    if (undecided) await this.open(undecided.position);
    else if (await this.line.isReachable()) {
      this.isLeavingToSignIn = isToSignIn && this.opened.every((work) => work.copies.isKept);
      window.location.assign(address);
    } else this.line.say(gettext("That page opens when the connection is back."));
  }

  // Everything that is unsaved, at once: the end may be near. What the server refuses is the person's to decide.
  async flush() {
    await Promise.all(this.unsaved.map(({ saver }) => saver.state !== "refused" && saver.flush()));
  }

  // Nothing waits for a line that is known to be lost.
  #settle(milliseconds) {
    const pause = this.line.isLost ? 0 : milliseconds;
    return Promise.race([this.shown.saver.flush(), new Promise((resolve) => setTimeout(resolve, pause))]);
  }

  #held(position) {
    const content = this.held.get(position);
    return content && new Work(pieces(content));
  }

  // By the server, which notes that it was seen. Without a network, or where the page is another one: null.
  async #loaded(position) {
    if (this.line.isLost || this.isOver) return null;
    try {
      const reply = await fetch(this.list.address(position), { cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (!reply.ok || reply.redirected) return null;
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      const found = pieces(document.importNode(page.documentElement, true));
      if (found.form === null) return null;
      found.form.dataset.seen = "";
      return new Work(found);
    } catch {
      await this.line.isReachable();
      return null;
    }
  }

  #show(work, nodes, address) {
    const before = this.shown;
    before.stepAside();
    if (nodes === null) this.pane.replaceChildren(notHeld(work));
    else this.pane.replaceChildren(...nodes);
    this.held.fill(this.pane, this.line);
    before.form.replaceWith(work.form);
    before.saveLine.replaceWith(work.saveLine);
    if (address !== null) history.pushState(null, "", address);
    const isNew = !this.works.has(work.position);
    if (nodes !== null && (isNew || work.nodes !== nodes)) work.take(nodes, this.zoom);
    if (isNew) this.#begin(work);
    else this.#arrive(work);
    // What was held may be older than what another page has saved since.
    if (!this.line.isLost) work.drafting.refresh();
    if (nodes !== null && !work.isSeen) {
      work.isSeen = true;
      this.views.note(work.position);
    }
    this.pane.scrollTop = 0;
    this.pane.querySelector("h1")?.focus();
  }

  #begin(work) {
    this.works.set(work.position, work);
    work.begin({ go: (step) => this.go(step), leave: (address) => this.leave(address, { isToFinish: true }), zoom: this.zoom });
    this.dispatchEvent(new CustomEvent("opened", { detail: { work } }));
    this.#arrive(work);
    work.drafting.start();
  }

  #arrive(work) {
    this.shown = work;
    work.saver.isAside = false;
    this.list.move(work.position);
    document.title = work.name + this.suffix;
    // What leads back to the page it stands on.
    const { pathname } = window.location;
    for (const field of document.querySelectorAll(".languages [name=next]")) field.value = pathname;
    for (const link of document.querySelectorAll("a[href*='?page=']")) link.search = `?page=${encodeURIComponent(pathname)}`;
    this.dispatchEvent(new Event("shown"));
  }

  // A click on a link to a question shows it here; other pages wait for what was written to be saved.
  #follow(event) {
    const link = event.target.closest?.("a[href]");
    if (!link || event.defaultPrevented || event.button !== 0) return;
    const isBeside = link.target === "_blank" || event.ctrlKey || event.metaKey || event.shiftKey || link.hasAttribute("download");
    const isHere = link.getAttribute("href").startsWith("#");
    if (isBeside || isHere) return;
    event.preventDefault();
    const position = this.list.positionOf(link.href);
    if (position === null) {
      this.leave(link.href, { isToSignIn: link.matches("[data-sign-in]"), isToFinish: link.matches("[data-while-running]") });
    } else this.open(position);
  }

  #goBack() {
    const position = this.list.positionOf(window.location.origin + window.location.pathname);
    if (position === null) window.location.reload();
    else this.open(position, { isBack: true });
  }

  // A page that is closed or reloaded without a network cannot be loaded again.
  #mayLose() {
    if (this.isLeavingToSignIn) return false;
    return this.opened.filter((work) => work.drafting.mayLose).length > 0 || (this.line.isLost && !this.isOver);
  }

  async #catchUp() {
    for (const { saver } of this.unsaved) if (saver.inTrouble && saver.state !== "refused") await saver.flush();
    await this.views.send();
    await this.#showLate();
    this.held.fill(this.pane, this.line);
  }

  // The text of the question that was opened while it could not be loaded.
  async #showLate() {
    const work = this.shown;
    if (work.nodes !== null || this.isOver) return;
    const nodes = (await this.#loaded(work.position))?.nodes ?? null;
    if (nodes === null || work !== this.shown) return;
    this.pane.replaceChildren(...nodes);
    work.take(nodes, this.zoom);
    work.isSeen = true;
  }

  #sayNotHeld(position, isBack) {
    if (isBack) history.replaceState(null, "", this.list.address(this.shown.position));
    this.line.say(fill(gettext("Question %(position)s is not held on this page. It opens when the connection is back."), { position }));
  }
}

// The nodes of one question, of a page or of what is held.
function pieces(root) {
  const nodes = [...(root.querySelector("#question-pane")?.childNodes ?? [])];
  const isHeld = nodes.some((node) => node.nodeType === Node.ELEMENT_NODE);
  return {
    form: root.querySelector("#answer-form"),
    saveLine: root.querySelector("#save-state"),
    nodes: isHeld ? nodes : null,
  };
}

function notHeld(work) {
  const box = document.createElement("div");
  const head = document.createElement("div");
  const heading = document.createElement("h1");
  const words = document.createElement("p");
  heading.tabIndex = -1;
  heading.textContent = work.name;
  words.className = "notice info";
  words.textContent = gettext("The text of this question is not held on this page. It is shown when the connection is back; you can write all the same.");
  head.className = "question-head";
  head.append(heading);
  box.append(head, words);
  return box;
}
