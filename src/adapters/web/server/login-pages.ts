/** The login pages: plain forms that work without scripts. A script only remembers where a link has led. */

export interface LoginForm {
  /** Form token, sent back with the form. */
  readonly token: string;
  /** Name typed in the previous attempt; empty at first. */
  readonly name: string;
  /** Error to show; empty if there is none. */
  readonly problem: string;
}

/** The available ways to sign in. */
export interface SignInMethods {
  /** The provider's display name; null if there is no provider. */
  readonly provider: string | null;
  readonly passwords: boolean;
}

export function loginPage(form: LoginForm, { provider, passwords }: SignInMethods): string {
  const button = provider === null ? "" : `<a class="button" href="/login/oidc">Sign in with ${escaped(provider)}</a>`;
  return page("Sign in", [problemText(form.problem), button, passwords ? passwordForm(form) : ""].join("\n"));
}

function passwordForm({ token, name }: LoginForm): string {
  return `<form method="post" action="/login">
<input type="hidden" name="token" value="${escaped(token)}">
<label>Name<input name="name" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="64" required value="${escaped(name)}"${name === "" ? " autofocus" : ""}></label>
<label>Password<input name="password" type="password" autocomplete="current-password" maxlength="512" required${name === "" ? "" : " autofocus"}></label>
<button type="submit">Sign in</button>
</form>
<p class="hint">Forgotten it? The operator can set a new one: <code>deckhand user passwd</code>.</p>`;
}

export function setupPage({ token, name, problem }: LoginForm): string {
  return page(
    "Set up Deckhand",
    `<p>Create the first account, an admin's. From then on people must sign in to this page; <code>deckhand user add</code> creates more accounts.</p>
<form method="post" action="/setup">
${problemText(problem)}<input type="hidden" name="token" value="${escaped(token)}">
<label>Name<input name="name" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="32" required autofocus value="${escaped(name)}"></label>
<label>Password<input name="password" type="password" autocomplete="new-password" minlength="12" maxlength="256" required aria-describedby="rule"></label>
<p class="hint" id="rule">At least 12 characters; a few words are fine.</p>
<label>Repeat the password<input name="again" type="password" autocomplete="new-password" maxlength="256" required></label>
<button type="submit">Create the account</button>
</form>`,
  );
}

/** A page with one sentence, which is the program's own HTML and not escaped. */
export function loginNotice(sentence: string): string {
  return page("Deckhand", `<p>${sentence}</p>`);
}

function problemText(problem: string): string {
  return problem === "" ? "" : `<p class="problem" role="alert">${escaped(problem)}</p>\n`;
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === "Deckhand" ? title : `${title} · Deckhand`}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/login.css">
<script type="module" src="/login.js"></script>
</head>
<body>
<main>
<h1><img src="/icon.svg" alt="" width="28" height="28">${title}</h1>
${content}
</main>
</body>
</html>
`;
}

function escaped(text: string): string {
  const signs: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replaceAll(/[&<>"']/gu, (sign) => signs[sign] ?? sign);
}
