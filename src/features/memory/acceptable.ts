import { withoutCredentials } from "../../core/text/log-redaction.ts";
import { visibleText } from "../../core/text/plain-text.ts";
import { MAX_CHARS } from "./memory.ts";

export type Acceptable = { readonly text: string } | { readonly refused: string };

/**
 * Keys and tokens that the log redaction does not know, and values named as secrets. Source: the providers'
 * documentation of their key formats. Each pattern runs in linear time.
 */
const SECRETS: readonly RegExp[] = [
  /\b(?:pk|rk)-[\w-]{16,}/u,
  /\b(?:password|passwd|passphrase|secret|api[ _-]?key|access[ _-]?key|token|pin)\b["']?(?: is|:|=| =) ?["'`]?(?=\S*\d)\S{4,}/iu,
  /\b(?:password|passwd|passphrase|passcode|api[ _-]?key|access[ _-]?key)\b[^\n]{1,40}?(?: is|:|=) ?["'`]?(?=\S*\d)(?=\S*\p{L})\S{6,}/iu,
  // Same as above for other languages.
  /(?<!\p{L})(?:passwort|kennwort|wachtwoord|lösenord|adgangskode|mot de passe|contraseña|senha|palavra-passe|hasło|heslo|şifre|parola|пароль|密码|密碼|パスワード|비밀번호|كلمة (?:المرور|السر)|סיסמה)[^\n]{0,40}?(?: (?:ist|lautet|es|est|é|è|är|er|to|je|это|هي|היא)|[:=：是为為はが는은])\s?["'`„「]?(?=[!-~]*\d)(?=[!-~]*[a-z])[!-~]{6,}/iu,
];

/** Control characters, which carry no meaning. */
const CONTROL = /(?![\n\t])\p{Cc}/gu;

/** The text as it is stored, or why it is refused. */
export function acceptable(text: string): Acceptable {
  if (text.length > MAX_CHARS) {
    return {
      refused: `That is too long to remember: ${text.length} characters of at most ${MAX_CHARS}. Put longer texts in a file.`,
    };
  }
  const clean = visibleText(text.replaceAll(CONTROL, "")).trim();
  if (clean === "") return { refused: "There is nothing to remember in that." };
  if (looksSecret(clean)) return { refused: "That looks like a password, a key or a token, and I don't keep those." };
  return { text: clean };
}

export function looksSecret(text: string): boolean {
  const line = JSON.stringify(text); // redaction expects JSON; as a JSON string, the text stays a text whatever it contains
  return withoutCredentials(line) !== line || SECRETS.some((secret) => secret.test(text));
}
