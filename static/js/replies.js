// The API answers visitors as it answers strangers: there is no such thing (404). A header tells the page of somebody
// whose sign-in ended which of the two it is. 403: signed in anew in the meantime, with another token.

export const isSignedOut = (response) => response.status === 403 || response.headers.has("X-Signed-Out");

// The server is there, but its time is for others now: nothing is wrong, and the same may be asked a little later.
export const isBusy = (response) => response.headers.has("X-Busy");

// What the API says. Throws where something else answered, as on a lost line: the page of a captive portal, of a proxy,
// of a server that cannot answer now.
export async function readReply(response) {
  const isAnswer = response.status < 500 && response.status !== 429 && !response.redirected;
  const reply = isAnswer ? await response.json() : null;
  if (reply === null || !(response.ok || typeof reply.sentence === "string")) throw new TypeError("no reply of this site");
  return reply;
}
