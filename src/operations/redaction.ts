/** Credentials that a text shows by where they stand, though nobody listed their value. Each pattern takes linear time. */

export const HIDDEN = "[secret]";

/** Names of fields, headers, flags and parameters whose value is a credential. */
const FIELD =
  /("(?:[a-z-]{0,40}[-_])?(?:api[-_]?key|authorization|cookie|token|secret|password)":)"(?:[^"\\]|\\.)*"/giu;
const QUOTED_FIELD =
  /(\\"(?:[a-z-]{0,40}[-_])?(?:api[-_]?key|authorization|cookie|token|secret|password)\\":)\\"[^"\\]*\\"/giu;
const CAMEL_FIELD = /("[a-z]{1,40}(?:ApiKey|Token|Secret|Password)":)"(?:[^"\\]|\\.)*"/gu;
const PARAMETER = /([?&](?:[a-z-]{0,40}[-_])?(?:api[-_]?key|key|token|secret|password|signature|sig)=)[^&"\\\s#]+/giu;
const FLAG = /((?<![\w-])--?(?:[a-z-]{0,40}-)?(?:api-?key|token|secret|password)[ =])[^\s"\\]+/giu;
const SCHEME = /\b(Bearer |Basic (?=[^\s"\\]*[A-Z0-9=+/]))[^\s"\\,;]{8,}/gu;
const USER = /(\/\/)[^/\s@"\\?#]+(?=@)/gu;

/** A line of the log without them. */
export function withoutCredentials(line: string): string {
  return line
    .replace(FIELD, `$1"${HIDDEN}"`)
    .replace(CAMEL_FIELD, `$1"${HIDDEN}"`)
    .replace(QUOTED_FIELD, `$1\\"${HIDDEN}\\"`)
    .replace(PARAMETER, `$1${HIDDEN}`)
    .replace(FLAG, `$1${HIDDEN}`)
    .replace(SCHEME, `$1${HIDDEN}`)
    .replace(USER, `$1${HIDDEN}`);
}
