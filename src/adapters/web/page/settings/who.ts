/** Who has saved a revision; an empty name: whoever holds the page's key on this machine. */
export function whoOf(by: string): string {
  return by === "" ? "Somebody at this machine" : by;
}
