/** What a site's pages may do: use their own files, and nothing beyond them. */
const SITE_POLICY = [
  // Sandboxed without an origin: no cookies, no storage, no access to the browser's other pages.
  "sandbox allow-scripts allow-modals allow-downloads allow-popups",
  "default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const OWN_PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const EVERYWHERE = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
  // A new version replaces the old one at the same address.
  "cache-control": "no-cache",
};

/** Headers of responses that are not part of a site. */
export const OWN_PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...EVERYWHERE,
  "content-security-policy": OWN_PAGE_POLICY,
  "cross-origin-resource-policy": "same-origin",
};

/**
 * Headers of a site's file. For a page without an origin, its own files count as cross-origin. So pages may only read
 * files requested with a visit's pass, which no other site knows.
 */
export function siteHeaders({
  isPassed,
  origin,
}: {
  readonly isPassed: boolean;
  readonly origin: string | undefined;
}): Readonly<Record<string, string>> {
  return {
    ...EVERYWHERE,
    "content-security-policy": SITE_POLICY,
    "cross-origin-resource-policy": isPassed ? "cross-origin" : "same-origin",
    vary: "origin, sec-fetch-mode",
    ...(isPassed && origin === "null" ? { "access-control-allow-origin": "null" } : {}),
  };
}

export const NOTHING_HERE = "There is nothing here.";

const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 24rem; margin: 20vh auto 0; padding: 0 1rem; }
label, input, button { display: block; font: inherit; }
input { box-sizing: border-box; width: 100%; margin: .25rem 0 1rem; padding: .5rem; }
button { padding: .5rem 1rem; }`;

/** A page with one sentence. The sentence is the program's own, so nothing is escaped. */
export function plainPage(sentence: string): string {
  return page("Sites", `<p>${sentence}</p>`);
}

/** `name` is a site's name, which contains nothing to escape. */
export function passwordPage(name: string, problem: string): string {
  const alert = problem === "" ? "" : `<p role="alert">${problem}</p>`;
  return page(
    name,
    `<h1>${name}</h1>${alert}<form method="post">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required autofocus>
<button>Open</button></form>`,
  );
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style></head>
<body><main>${body}</main></body>
</html>
`;
}
