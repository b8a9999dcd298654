import { distance } from "fastest-levenshtein";

/** At most two names that somebody who wrote `name` probably meant, nearest first. */
export function nearest(name: string, known: readonly string[]): string[] {
  const written = name.toLowerCase();
  return known
    .map((candidate) => ({ candidate, far: editsBetween(written, candidate) }))
    .filter(({ candidate, far }) => far <= tolerance(written) || begins(written, candidate))
    .sort((a, b) => a.far - b.far)
    .slice(0, 2)
    .map(({ candidate }) => candidate);
}

/** The number of typing errors to tolerate: only one in a short word, so that `/dev` does not match `/new`. */
function tolerance(name: string): number {
  return name.length < 6 ? 1 : 2;
}

/** The number of edits between two names. Swapped letters count as one edit: `hlep`. */
function editsBetween(name: string, candidate: string): number {
  const far = distance(name, candidate);
  return far === 2 && letters(name) === letters(candidate) ? 1 : far;
}

function letters(name: string): string {
  return name.split("").sort().join("");
}

/** Whether the name is an abbreviation, such as `stat` for `status`. */
function begins(name: string, candidate: string): boolean {
  return name.length > 2 && candidate.startsWith(name);
}

/** Returns ` Did you mean …?`, or `otherwise` if nothing is near. */
export function didYouMean(near: readonly string[], otherwise: string): string {
  return near.length === 0 ? ` ${otherwise}` : ` Did you mean ${near.map((name) => `\`${name}\``).join(" or ")}?`;
}
