const UNITS = ["bytes", "kB", "MB", "GB"];

/** `1 byte`, `900 kB`, `12.3 MB`. Negative sizes count as 0. */
export function sizeText(bytes: number): string {
  if (bytes === 1) return "1 byte";
  const size = Math.max(0, bytes);
  const power = size < 1_000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(size) / 3));
  const amount = size / 1_000 ** power;
  return `${power === 0 ? amount : Number(amount.toFixed(1))} ${UNITS[power]}`;
}
