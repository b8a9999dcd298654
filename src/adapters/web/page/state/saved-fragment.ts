/** Keeps the fragment of a followed link during sign-in, because the browser sends no fragment to the server. */

const FRAGMENT_KEY = "deckhand.landing";

/** Stores the fragment on a sign-in page. A page without one, such as a rejected form, leaves the stored one alone. */
export function saveFragment(): void {
  try {
    if (location.hash !== "") sessionStorage.setItem(FRAGMENT_KEY, location.hash);
  } catch {
    return; // Storage is switched off: the person lands on the start page.
  }
}

/** Restores the stored fragment on the page, once. */
export function restoreFragment(): void {
  try {
    const kept = sessionStorage.getItem(FRAGMENT_KEY);
    sessionStorage.removeItem(FRAGMENT_KEY);
    if (kept !== null && location.hash === "") history.replaceState(null, "", kept);
  } catch {
    return;
  }
}
