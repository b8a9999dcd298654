/**
 * Strips the endings of English words by Porter's algorithm. Words in other scripts stay as they are. Source: M. F.
 * Porter, “An algorithm for suffix stripping”, 1980.
 */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/u.test(word)) return word;
  const suffixes = [DOUBLE, DERIVED].map((endingsOf) => (now: string) => replaced(now, endingsOf));
  return [plurals, participles, finalY, ...suffixes, endings, finalE].reduce((now, step) => step(now), word);
}

/** The word's pattern of sounds: `v` for each vowel, `c` for each consonant. */
function soundOf(word: string): string {
  let sound = "";
  for (const letter of word) {
    const isVowel = "aeiou".includes(letter) || (letter === "y" && sound.endsWith("c"));
    sound += isVowel ? "v" : "c";
  }
  return sound;
}

/** Whether there is at least one change from vowels to consonants. */
function isLong(word: string): boolean {
  return /^c*v+c/u.test(soundOf(word));
}

/** Whether there are at least two such changes. */
function isLonger(word: string): boolean {
  return /^c*v+c+v+c/u.test(soundOf(word));
}

function hasVowel(word: string): boolean {
  return soundOf(word).includes("v");
}

/** Whether the word ends like `hop`. */
function endsShort(word: string): boolean {
  return soundOf(word).endsWith("cvc") && !/[wxy]$/u.test(word);
}

function plurals(word: string): string {
  if (/(?:ss|i)es$/u.test(word)) return word.slice(0, -2);
  return /[^s]s$/u.test(word) ? word.slice(0, -1) : word;
}

function participles(word: string): string {
  if (word.endsWith("eed")) return isLong(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const root = word.replace(/(?:ed|ing)$/u, "");
  if (root === word || !hasVowel(root)) return word;
  if (/(?:at|bl|iz)$/u.test(root)) return `${root}e`;
  if (/([^aeioulsz])\1$/u.test(root)) return root.slice(0, -1);
  return isLong(root) && !isLonger(root) && endsShort(root) ? `${root}e` : root;
}

function finalY(word: string): string {
  // As in Porter's later algorithm, so that `deploy` and `deployment` share a stem.
  return /.[^aeiou]y$/u.test(word) && hasVowel(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word;
}

const DOUBLE: readonly (readonly [string, string])[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["abli", "able"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"],
];
const DERIVED: readonly (readonly [string, string])[] = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""],
];

function replaced(word: string, endingsOf: readonly (readonly [string, string])[]): string {
  const found = endingsOf.find(([ending]) => word.endsWith(ending));
  if (found === undefined) return word;
  const root = word.slice(0, -found[0].length);
  return isLong(root) ? root + found[1] : word;
}

const ENDING = /(?:al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|(?<=[st])ion|ou|ism|ate|iti|ous|ive|ize)$/u;

function endings(word: string): string {
  const root = word.replace(ENDING, "");
  return root !== word && isLonger(root) ? root : word;
}

function finalE(word: string): string {
  const root = word.slice(0, -1);
  if (word.endsWith("e")) {
    if (isLonger(root) || (isLong(root) && !endsShort(root))) return root;
    return word;
  }
  return word.endsWith("ll") && isLonger(root) ? root : word;
}
