/**
 * The few signs that Deckhand uses, as drawings, because the characters look different on every system
 * and some fonts lack them. Each has a name for screen readers.
 */

interface Sign {
  readonly name: string;
  /** SVG path data in a 24 by 24 box. */
  readonly path: string;
}

const SIGNS: Readonly<Record<string, Sign>> = {
  "⏳": {
    name: "working",
    path: "M7 3h10M7 21h10M8 3v3.5c0 2.5 4 4 4 5.500s-4 3-4 5.500V21M16 3v3.500c0 2.5-4 4-4 5.500s4 3 4 5.500V21",
  },
  "✓": { name: "done", path: "M4.5 12.500l5 5 10-11" },
  "✗": { name: "failed", path: "M6 6l12 12M18 6 6 18" },
  "⏸": { name: "waiting", path: "M9 5.500v13M15 5.500v13" },
  "⏹": { name: "stopped", path: "M6.5 6.500h11v11h-11z" },
  "⚠": { name: "warning", path: "M12 4 3 19.500h18zM12 10v4.500M12 17v.1" },
  "👍": {
    name: "good",
    path: "M7 11l4-8c1.7 0 2.5 1 2.5 2.500L13 9h5.500c1.3 0 2 1 1.7 2.200l-1.7 7c-.3 1.1-1 1.8-2 1.800H7zM7 11H3.500v9H7",
  },
  "👎": {
    name: "bad",
    path: "M17 13l-4 8c-1.7 0-2.5-1-2.5-2.500L11 15H5.500c-1.3 0-2-1-1.7-2.200l1.7-7C5.8 4.7 6.5 4 7.5 4H17zM17 13h3.500V4H17",
  },
};

const ANY_SIGN = new RegExp(`(${Object.keys(SIGNS).join("|")})\\uFE0F?`, "gu");

/** Replaces the signs in escaped HTML text. */
export function drawSigns(html: string): string {
  return html.replaceAll(ANY_SIGN, (_match, character: string) => {
    const sign = SIGNS[character];
    return sign === undefined ? character : drawing(sign);
  });
}

function drawing({ name, path }: Sign): string {
  return `<svg class="sign ${name}" viewBox="0 0 24 24" role="img" aria-label="${name}"><path d="${path}"/></svg>`;
}

/** Replaces the signs by their names, for text that is only spoken. */
export function nameSigns(text: string): string {
  return text.replaceAll(ANY_SIGN, (_match, character: string) => `${SIGNS[character]?.name ?? ""}:`);
}
