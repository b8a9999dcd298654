/** Names of settings, fields, headers, flags and parameters whose value is a credential. */

/** The last words of such a name, or the end of one written as a single word. */
const SECRET =
  /(?:(?:^|_)(?:auth(?:orization|_?key)?|cookie|pass|pwd|pat|pw|(?:private|priv|secret|signing|account|subscription|client|service|db|database|master|encryption|jwt|shared|storage)_?key|secret_?key_?base|access_?key(?:_id)?|credentials?|signature|sig)|api_?key|token|secret|passwd|password|passphrase|passcode)(?:_?\d{1,3}|_(?:pem|b64|base64|dev|test|staging|prod(?:uction)?|live))?$/u;
const VARIABLE = /^[A-Z0-9_]{1,60}_KEY$/u;
/** How much of a name is examined, from its end. Characters. */
const END = 60;

/** Whether a name is a credential's: `clientSecret`, `X-Api-Key`, `GH_PAT`, `aws_secret_access_key`. */
export function isSecretName(name: string): boolean {
  const words = name
    .slice(-END)
    .replaceAll(/[^A-Za-z0-9]+/gu, "_")
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1_$2");
  return VARIABLE.test(name) || SECRET.test(words.toLowerCase());
}

/** Whether a name is a plural such as `tokens` or `clientSecrets`: its value may be credentials or their number. */
export function isPluralSecretName(name: string): boolean {
  return name.endsWith("s") && isSecretName(name.slice(0, -1));
}
