/** Why no other terminal can attach. The terminal of this process still works. */
export function notListening(path: string, reason: string): string {
  return `no other terminal can attach: ${path}: ${reason}`;
}

export const TOO_LONG = "the path is too long for a socket; use a shorter DECKHAND_HOME";
export const TAKEN = "another process is listening there";
