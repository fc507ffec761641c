// The API answers visitors as it answers strangers: there is no such thing (404). A header tells the page of somebody
// whose sign-in ended which of the two it is. 403: signed in anew in the meantime, with another token.

export const isSignedOut = (response) => response.status === 403 || response.headers.has("X-Signed-Out");
