/** Returns the path: `./data/deckhand.db` for `file:./data/deckhand.db`. */
export function sqlitePath(url: string): string {
  return url.replace(/^file:/, "");
}
