/** Pattern that finds the leftmost longest match, as POSIX requires; JavaScript prefers the first alternative. */
export class LongestMatch extends RegExp {
  override exec(text: string): RegExpExecArray | null {
    let found = super.exec(text);
    for (let longer = found; longer !== null; longer = this.#longerThan(longer)) found = longer;
    if (found !== null && (this.global || this.sticky)) this.lastIndex = endOf(found);
    return found;
  }

  /** Whether there is a match, of any length. */
  override test(text: string): boolean {
    return super.exec(text) !== null;
  }

  /** Finds a longer match at the same start, by requiring that fewer characters follow it. */
  #longerThan(found: RegExpExecArray): RegExpExecArray | null {
    const left = Array.from(found.input.slice(endOf(found))).length;
    if (left === 0) return null;
    const longer = new RegExp(`(?:${this.source})(?![^]{${left}})`, `${this.flags.replace(/[gy]/g, "")}y`);
    longer.lastIndex = found.index;
    return longer.exec(found.input);
  }
}

function endOf(found: RegExpExecArray): number {
  return found.index + found[0].length;
}

/** Whether a later alternative may match more than an earlier one; most differ in their first letter. */
export function isAmbiguous(alternatives: readonly string[], isCased: boolean): boolean {
  const all = isCased ? alternatives : alternatives.map((one) => one.toLowerCase());
  return all.some((one, at) => all.slice(at + 1).some((later) => !areApart(one, later)));
}

function areApart(one: string, later: string): boolean {
  const begins = /^[\w@#%&=:;,<>"'~!/ -](?![*?{|\\])/;
  if (begins.test(one) && begins.test(later) && one[0] !== later[0]) return true;
  const isText = /^[\w@#%&=:;,<>"'~!/ -]+$/;
  return isText.test(one) && isText.test(later) && !later.startsWith(one);
}
