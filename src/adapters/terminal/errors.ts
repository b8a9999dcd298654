/** Why no other terminal can attach. The terminal of this process still works. */
export function notListening(path: string, reason: string): string {
  return `no other terminal can attach: ${path}: ${reason}`;
}

export const TOO_LONG = "the path is too long for a socket; a shorter DECKHAND_HOME mends that";
export const TAKEN = "another process listens there";
