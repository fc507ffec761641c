// Pages about a session: local times, the remaining time where a clock is running, texts that were not saved.

import { Countdown } from "./countdown.js";
import { addLocalTimes } from "./local_times.js";
import { showUnsent } from "./unsent.js";

addLocalTimes();
showUnsent(document.getElementById("unsent-texts"));
const bar = document.getElementById("time-bar");
if (bar) {
  // The server sends everybody whose time is over on to the receipt; nothing is lost by going there.
  new Countdown(bar).addEventListener("over", () => window.location.assign(bar.dataset.receiptUrl));
}
