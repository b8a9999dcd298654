/** US dollars as people read them: in cents, or below ten cents with up to four decimals. */
export function dollars(usd: number): string {
  if (usd > 0 && usd < 0.00005) return "< $0.0001";
  const figure = usd.toFixed(usd < 0.1 ? 4 : 2);
  return `$${figure.replace(/(\.\d\d\d?)0+$/u, "$1").replace(/(\.\d\d)0$/u, "$1")}`;
}

/** `1,000,000`, whatever the language of the machine or browser, since the words around it are English. */
export function figure(value: number): string {
  return value.toLocaleString("en-US");
}
