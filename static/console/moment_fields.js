// Times are written in the zone of this device, where it has one; without this script, in UTC.
// The server turns them into moments, and knows when clocks go forward and back.

const UTC = "UTC";
const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

for (const time of document.querySelectorAll("[data-moment]")) offerOwnZone(time, time.nextElementSibling);

function offerOwnZone(time, zones) {
  if (!zone || zone === UTC) return;
  if (![...zones.options].some((option) => option.value === zone)) zones.prepend(new Option(zone, zone));
  let before = zones.value;
  // A moment stays the same whichever zone it is shown in. Zones but this device's are the server's to know.
  const show = () => {
    if (time.value && before === UTC && zones.value === zone) time.value = local(new Date(`${time.value}Z`));
    else if (time.value && before === zone && zones.value === UTC) time.value = utc(new Date(time.value));
    before = zones.value;
  };
  zones.addEventListener("change", show);
  if (time.dataset.moment !== "stored") return;
  zones.value = zone;
  show();
  // So it was stored: nobody has changed anything yet.
  time.defaultValue = time.value;
  for (const option of zones.options) option.defaultSelected = option.selected;
}

function local(moment) {
  return utc(new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000));
}

function utc(moment) {
  return Number.isNaN(moment.getTime()) ? "" : moment.toISOString().slice(0, 16);
}
