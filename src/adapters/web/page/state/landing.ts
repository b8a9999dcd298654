/** Where a link led somebody who had to sign in first: the part of its address behind `#`, which no server hears. */

const LANDING = "deckhand.landing";

/** On the pages of the way in. A form that comes back with a problem has no such part any more: what is kept stays. */
export function keepLanding(): void {
  try {
    if (location.hash !== "") sessionStorage.setItem(LANDING, location.hash);
  } catch {
    return; // Storage is switched off: they begin at the beginning.
  }
}

/** On the page, once. */
export function takeLanding(): void {
  try {
    const kept = sessionStorage.getItem(LANDING);
    sessionStorage.removeItem(LANDING);
    if (kept !== null && location.hash === "") history.replaceState(null, "", kept);
  } catch {
    return;
  }
}
