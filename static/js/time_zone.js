// The zone of this device, for the server: for what it says where no script runs, as in mails and messages.
const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

if (zone && !document.cookie.split("; ").includes(`chiron_zone=${zone}`)) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `chiron_zone=${zone}; Path=/; Max-Age=${365 * 24 * 3600}; SameSite=Lax${secure}`;
}
