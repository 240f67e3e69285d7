/**
 * @module
 * What this browser knows of its session: whether it was given a cookie, which no script can read, and the token of a
 * member of a class as long as this tab is open. The server keeps only the digest of the token. Signing out removes both.
 */

import { signal } from '@preact/signals';

const OWN_TOKEN = 'usurp/own-token';

/** The token that this tab has received; null if it has received none. */
export const ownToken = signal<string | null>(sessionStorage.getItem(OWN_TOKEN));

/** Keeps a token that the server has told, also when the page is loaded again. */
export function keepOwnToken(token: string): void {
  sessionStorage.setItem(OWN_TOKEN, token);
  ownToken.value = token;
}

const SIGNED_IN = 'usurp/signed-in';

/** Whether this browser was given a cookie. */
export const isSignedIn = signal(localStorage.getItem(SIGNED_IN) !== null);

export function noteSignedIn(is: boolean): void {
  isSignedIn.value = is;
  if (is) localStorage.setItem(SIGNED_IN, 'yes');
  else localStorage.removeItem(SIGNED_IN);
}

/** Calls this when another tab of this browser has signed out. The event does not reach the tab that causes it. */
export function onSignedOut(done: () => void): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === SIGNED_IN && newValue === null) done();
  });
}

/** Whether this server has a class; null until it is known. */
export const offersClass = signal<boolean | null>(null);
