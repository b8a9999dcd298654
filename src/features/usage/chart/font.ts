/** Pixels. Each character takes one more column and row of space. */
export const GLYPH_WIDTH = 5;
export const GLYPH_HEIGHT = 7;

/** One digit of base 32 for each row from the top; its highest bit is the leftmost pixel. */
const ROWS: Readonly<Record<string, string>> = {
  " ": "0000000",
  "!": "4444404",
  '"': "aa00000",
  "#": "aavavaa",
  $: "4fke5u4",
  "%": "op248j3",
  "&": "8k8klid",
  "'": "4400000",
  "(": "2488842",
  ")": "8422248",
  "*": "04lel40",
  "+": "044v440",
  ",": "0000448",
  "-": "000v000",
  ".": "00000cc",
  "/": "01248g0",
  "0": "ehjlphe",
  "1": "4c4444e",
  "2": "eh1248v",
  "3": "v2421he",
  "4": "26aiv22",
  "5": "vgu11he",
  "6": "68guhhe",
  "7": "v124888",
  "8": "ehhehhe",
  "9": "ehhf12c",
  ":": "0cc0cc0",
  ";": "0cc0c48",
  "<": "248g842",
  "=": "00v0v00",
  ">": "8421248",
  "?": "eh12404",
  "@": "eh1dlle",
  A: "ehhvhhh",
  B: "uhhuhhu",
  C: "ehggghe",
  D: "sihhhis",
  E: "vgguggv",
  F: "vgguggg",
  G: "ehgnhhf",
  H: "hhhvhhh",
  I: "e44444e",
  J: "72222ic",
  K: "hikokih",
  L: "ggggggv",
  M: "hrllhhh",
  N: "hhpljhh",
  O: "ehhhhhe",
  P: "uhhuggg",
  Q: "ehhhlid",
  R: "uhhukih",
  S: "fgge11u",
  T: "v444444",
  U: "hhhhhhe",
  V: "hhhhha4",
  W: "hhhllla",
  X: "hha4ahh",
  Y: "hhha444",
  Z: "v1248gv",
  "[": "e88888e",
  "]": "e22222e",
  _: "000000v",
  "|": "4444444",
  "€": "7gugug7",
};

/** For what the font does not have. */
const BOX = "vhhhhhv";

/** True where a character has ink. Small letters look like capitals, and letters with accents like those without. */
export function hasInk(character: string, column: number, row: number): boolean {
  const rows = ROWS[character.normalize("NFD").charAt(0).toUpperCase()] ?? BOX;
  const bits = Number.parseInt(rows[row] ?? "0", 32);
  return ((bits >> (GLYPH_WIDTH - 1 - column)) & 1) === 1;
}
