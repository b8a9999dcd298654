export const NO_TOKEN =
  "Open the address that Deckhand printed when it started. It contains the key to this page and works once, for ten minutes. `deckhand web-link` prints a new one.";
export const NOT_READY = "Deckhand is standing by while another process runs. This page opens when it takes over.";
export const NOT_SIGNED_IN = "You have been signed out. Sign in again.";
export const ONLY_READS = "Your account may only read. An admin can change that with “deckhand user role”.";

/** A page with one sentence, which is the program's own and not escaped. */
export function plainPage(text: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Deckhand</title></head>
<body><main><h1>Deckhand</h1><p>${text.replaceAll(/`([^`]+)`/gu, "<code>$1</code>")}</p></main></body>
</html>
`;
}
