// A figure is one stop of the tab key: arrows lead from point to point, and each says what it is.

for (const figure of document.querySelectorAll("svg[data-figure]")) {
  const points = [...figure.querySelectorAll(".point[tabindex]")];
  for (const point of points.slice(1)) point.setAttribute("tabindex", "-1");
  figure.addEventListener("keydown", (event) => move(event, points));
}

function move(event, points) {
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  const here = points.indexOf(event.target);
  const there = points[here + steps[event.key]];
  if (here < 0 || !there) return;
  event.preventDefault();
  points[here].setAttribute("tabindex", "-1");
  there.setAttribute("tabindex", "0");
  there.focus();
}
