import { distance } from "fastest-levenshtein";

/** Names that somebody who wrote `name` probably meant, the nearest first; at most two. */
export function nearest(name: string, known: readonly string[]): string[] {
  const written = name.toLowerCase();
  return known
    .map((candidate) => ({ candidate, far: editsBetween(written, candidate) }))
    .filter(({ candidate, far }) => far <= tolerance(written) || begins(written, candidate))
    .sort((a, b) => a.far - b.far)
    .slice(0, 2)
    .map(({ candidate }) => candidate);
}

/** Edits that a slip of the hand makes: one in a short word, so that `/dev` is not taken for `/new`. */
function tolerance(name: string): number {
  return name.length < 6 ? 1 : 2;
}

/** The same letters in another order count as one edit: `hlep`. */
function editsBetween(name: string, candidate: string): number {
  const far = distance(name, candidate);
  return far === 2 && letters(name) === letters(candidate) ? 1 : far;
}

function letters(name: string): string {
  return name.split("").sort().join("");
}

/** `stat` for `status`. */
function begins(name: string, candidate: string): boolean {
  return name.length > 2 && candidate.startsWith(name);
}

/** ` Did you mean …?`, or what is said when nothing is near. */
export function didYouMean(near: readonly string[], otherwise: string): string {
  return near.length === 0 ? ` ${otherwise}` : ` Did you mean ${near.map((name) => `\`${name}\``).join(" or ")}?`;
}
