// The receipt on paper: all of it, whatever is folded on the screen.

export function addPrinting(root = document) {
  for (const button of root.querySelectorAll("button[data-print]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      for (const folded of button.closest("#receipt").querySelectorAll("details")) folded.open = true;
      window.print();
    });
  }
}
