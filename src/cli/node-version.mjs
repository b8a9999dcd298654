/**
 * Plain JavaScript that old Node versions parse: whatever loads TypeScript calls this first, since a
 * syntax error from a stripped type tells nobody what to do.
 */

/**
 * Minor versions, by the major one. Asynchronous WebAssembly exports need Node 24, and a proxy that holds for all of the
 * program these releases. Source: Node docs, `http.setGlobalProxyFromEnv`.
 */
const NEEDED_MINOR = { 24: 14, 25: 4 };
const NEEDED = "24.14";

/**
 * The one line for a Node that is too old, or null.
 * @param {string} version as in `process.versions.node`
 * @returns {string | null}
 */
export function nodeProblem(version) {
  const [major, minor] = version.split(".").map(Number);
  const needed = NEEDED_MINOR[major];
  if (needed === undefined ? major > 25 : minor >= needed) return null;
  return (
    "Deckhand needs Node " +
    NEEDED +
    " or newer and this is " +
    version +
    ". " +
    "After `npm ci`, `npm start` brings its own; " +
    "where npm has no Node for the system (macOS), install the newest Node 24."
  );
}
