/** Minimum difference between the strongest and the weakest part of a colour that is not a grey. */
const MIN_RANGE = 60;

/**
 * A note on the colour beside a card, which may be all that tells people that something is wrong. Empty for greys, blues
 * and purples, which say nothing about that. `rgb`: the colour as a number.
 */
export function colourNote(rgb: number): string {
  const [red, green, blue] = [(rgb >> 16) & 0xff, (rgb >> 8) & 0xff, rgb & 0xff];
  const strongest = Math.max(red, green, blue);
  const range = strongest - Math.min(red, green, blue);
  if (range < MIN_RANGE || strongest === blue) return "";
  const name = nameOf(strongest === red ? (green - blue) / range : 2 + (blue - red) / range);
  return name === "" ? "" : `[marked ${name}]`;
}

/** The name of a hue, in steps of 60 degrees from red. */
function nameOf(hue: number): string {
  if (hue < -0.4) return "";
  if (hue < 0.3) return "red";
  if (hue < 0.75) return "orange";
  return hue < 1.2 ? "yellow" : "green";
}
