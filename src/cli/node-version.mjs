/**
 * Plain JavaScript that old Node versions parse: whatever loads TypeScript calls this first, since a
 * syntax error from a stripped type tells nobody what to do.
 */

/** Type stripping and asynchronous WebAssembly exports need it. */
const NEEDED_MAJOR = 24;

/**
 * The one line for a Node that is too old, or null.
 * @param {string} version as in `process.versions.node`
 * @returns {string | null}
 */
export function nodeProblem(version) {
  if (Number(version.split(".")[0]) >= NEEDED_MAJOR) return null;
  return (
    "Deckhand needs Node " +
    NEEDED_MAJOR +
    " or newer and this is " +
    version +
    ". " +
    "After `npm ci`, `npm start` brings its own; " +
    "where npm has no Node for the system (macOS), install Node " +
    NEEDED_MAJOR +
    "."
  );
}
