/**
 * Plain JavaScript that old Node versions can parse. Whatever loads TypeScript calls this first, because a syntax error
 * at a type annotation would not explain the problem.
 */

/**
 * Required minor version for each major version. Asynchronous WebAssembly exports need Node 24, and a proxy for the
 * whole program needs these releases. Source: Node docs, `http.setGlobalProxyFromEnv`.
 */
const NEEDED_MINOR = { 24: 14, 25: 4 };
const NEEDED = "24.14";

/**
 * The message for a Node that is too old; null otherwise.
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
    " or newer, but this is " +
    version +
    ". " +
    "After `npm ci`, `npm start` uses its own Node; " +
    "on systems for which npm has none (macOS), install the latest Node 24."
  );
}
