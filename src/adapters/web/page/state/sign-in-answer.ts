/**
 * A sign-in to an MCP server leaves the page and comes back to its address, with the service's answer in the query. What
 * the server needs to redeem the answer stays in this tab meanwhile.
 */

const BEGUN_KEY = "deckhand.mcp-sign-in";
const SECTION = "#/mcp";

export interface SignInAnswer {
  readonly name: string;
  readonly begun: string;
  readonly answer: string;
}

/** Opens the section of MCP servers if the address holds an answer. */
export function showSignInAnswer(): void {
  if (hasAnswer()) history.replaceState(null, "", `${location.search}${SECTION}`);
}

/** Throws if the browser keeps nothing for the page. */
export function keepBegunSignIn(sign: Omit<SignInAnswer, "answer">): void {
  sessionStorage.setItem(BEGUN_KEY, JSON.stringify(sign));
}

/** Takes the answer out of the address, once. `unknown` if its sign-in was not begun in this tab; null if there is none. */
export function takeSignInAnswer(): SignInAnswer | "unknown" | null {
  if (!hasAnswer()) return null;
  const answer = location.search;
  const begun = takeBegun();
  // Where a terminal waits for the address, it is to be copied from here.
  if (begun === null) return "unknown";
  history.replaceState(null, "", `/${SECTION}`);
  return { ...begun, answer };
}

function hasAnswer(): boolean {
  const given = new URLSearchParams(location.search);
  return given.has("state") && (given.has("code") || given.has("error"));
}

function takeBegun(): Omit<SignInAnswer, "answer"> | null {
  try {
    const kept = sessionStorage.getItem(BEGUN_KEY);
    sessionStorage.removeItem(BEGUN_KEY);
    return kept === null ? null : JSON.parse(kept);
  } catch {
    return null;
  }
}
