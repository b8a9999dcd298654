/** Keeps the fragment of a followed link during sign-in, because the browser sends no fragment to the server. */

const LANDING = "deckhand.landing";

/** Stores the fragment on a sign-in page. A page without one, such as a rejected form, leaves the stored one alone. */
export function keepLanding(): void {
  try {
    if (location.hash !== "") sessionStorage.setItem(LANDING, location.hash);
  } catch {
    return; // Storage is switched off: the person lands on the start page.
  }
}

/** Restores the stored fragment on the page, once. */
export function takeLanding(): void {
  try {
    const kept = sessionStorage.getItem(LANDING);
    sessionStorage.removeItem(LANDING);
    if (kept !== null && location.hash === "") history.replaceState(null, "", kept);
  } catch {
    return;
  }
}
