/** `file:./data/deckhand.db` → the path. */
export function sqlitePath(url: string): string {
  return url.replace(/^file:/, "");
}
