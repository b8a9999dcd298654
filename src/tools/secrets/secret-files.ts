import type { Buffer } from "node:buffer";
import { isSecretName } from "../../core/text/secret-name.ts";
import { holdsToken, isBlank } from "../../core/text/token-shapes.ts";
import { inUtf8 } from "../wasm/workspace/media-type.ts";
import { hashFile, readHead } from "../wasm/workspace/read-file.ts";
import { Refusal } from "../wasm/workspace/refusal.ts";

/**
 * Files that hold credentials are recognised by name and by content, so a copy under another name is recognised too.
 */

const SAMPLE = /(?:^|[._-])(?:example|sample|template|tmpl|dist|schema)(?:[._-]|$)|(?:^|\.)defaults?(?:\.|$)/iu;

/** Patterns for the end of the lower-case path. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)(?:\.(?:env|dev\.vars)(?:\.(?![^/]*\.?[jt]s$)[^/]+)?|[^/]+\.env)$/u, "a file of environment variables"],
  [/(?:^|\/)(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|secring\.gpg)$/u, "a private key"],
  [/(?:^|\/)(?:config\/master|config\/credentials\/[^/]+)\.key$/u, "a Rails credentials key"],
  [/\.(?:p12|pfx|pkcs12|jks|jceks|bcfks|keystore|keytab|keychain(?:-db)?|kdbx?|psafe3|ppk)$/u, "a key store"],
  [
    /(?:^|\/)(?:[._]netrc|\.?pgpass(?:\.conf)?|\.git-credentials|\.htpasswd|\.pypirc|\.vault[-_](?:token|pass(?:word)?(?:\.txt)?)|\.dockercfg|\.dockerconfigjson|\.my\.cnf|\.mylogin\.cnf|\.s3cfg|\.boto|\.passwd-s3fs|\.databrickscfg|\.terraformrc|terraform\.rc|credentials\.tfrc\.json|rclone\.conf|\.secrets|\.credentials\.json)$/u,
    "a credentials file",
  ],
  [
    /(?:^|\/)(?:\.gem\/credentials|\.cargo\/credentials(?:\.toml)?|\.config\/hub|\.config\/gh\/hosts\.yml|\.config\/doctl\/config\.yaml|(?:\.codex|\.composer|opencode)\/auth\.json|\.gemini\/oauth_creds\.json|\.vscode\/sftp\.json|sftp-config\.json|\.ftpconfig|http-client\.private\.env\.json|\.godot\/export_credentials\.cfg|local\.settings\.json|[^/]+\.secret\.exs|secret_token\.rb)$/u,
    "a credentials file",
  ],
  [
    /(?:^|\/)(?:\.aws\/credentials|\.docker\/config\.json|application_default_credentials\.json|gcloud\/(?:credentials|access_tokens)\.db|\.azure\/(?:accesstokens|msal_token_cache|service_principal_entries)\.(?:json|bin)|[^/]+\.publishsettings)$/u,
    "cloud credentials",
  ],
  [/(?:^|\/)(?:\.kube\/config|kubeconfig(?:\.ya?ml)?|[^/]*\.kubeconfig)$/u, "a kubeconfig"],
  // In the `templates` folder of a chart, such a file holds no values.
  [/^(?!(?:.*\/)?templates\/[^/]*$)(?:.*\/)?secrets?\.(?:ya?ml|json|toml|ini)$/u, "a secrets file"],
  [/\.tfstate(?:\.backup)?$/u, "a Terraform state file"],
];

/** A file matches if it contains all shapes of an entry. One shape spanning the file would be tried from every line. */
const CONTENTS: readonly (readonly [shapes: readonly RegExp[], string])[] = [
  [
    [
      /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\n){1,8}(?:[\w+/=:-]{16}|(?:Proc-Type|Version|Comment): )/u,
    ],
    "a private key",
  ],
  [[/^[ \t]{0,20}PrivateKey[ \t]{0,9}=[ \t]{0,9}[\w+/]{43}=/mu], "a private key"],
  [[/^\s{0,20}(?:-\s)?(?:client-key-data|token):\s*["']?[\w+/=.-]{20}/mu, /^kind:\s*Config/mu], "a kubeconfig"],
  [[/aws_secret_access_key["']?\s{0,5}[=:]\s{0,5}["']?[\w/+-]{30}/iu], "cloud credentials"],
  [
    [/(?::_(?:authToken|password|auth)|^_auth(?:Token)?)\s{0,3}=\s{0,3}["']?(?!\$|<|your|npm_x)[^\s"']{8}/imu],
    "registry credentials",
  ],
  [[/\bnpmAuth(?:Token|Ident):\s{0,3}["']?(?!\$|<|your)[^\s"']{8}/iu], "registry credentials"],
];

/** Number of leading bytes of a file that are examined. */
const HEAD = 65_536;

/** What kind of secret file a path names; null if none. */
export function namedKind(path: string): string | null {
  const name = path.toLowerCase();
  if (isSample(path)) return null;
  return NAMES.find(([end]) => end.test(name))?.[1] ?? null;
}

function isSample(path: string): boolean {
  return SAMPLE.test(path.slice(path.lastIndexOf("/") + 1));
}

/** What kind of secret a file seems to hold, by path or content; null if none. */
export function secretKind(path: string, content: Buffer): string | null {
  const named = namedKind(path);
  if (named !== null) return content.length === 0 ? null : named;
  const text = inUtf8(content.subarray(0, HEAD)).toString("latin1");
  return (
    CONTENTS.find(([shapes]) => shapes.every((shape) => shape.test(text)))?.[1] ??
    (holdsToken(text) ? "a token" : null) ??
    (!isSample(path) && areVariables(text) ? "a file of environment variables" : null)
  );
}

const VARIABLE = /^(?:export )?([A-Za-z_]\w{0,60})=(["']?)(\S{8,})\2$/u;

/** Whether nearly every line sets a variable and one of them a credential, which is not true of any program. */
function areVariables(text: string): boolean {
  if (!text.includes("=")) return false;
  const lines = text.split("\n").map((line) => line.trim());
  const contentLines = lines.filter((line) => line !== "" && !line.startsWith("#"));
  if (contentLines.length > 500 || contentLines.some((line) => !/^(?:export )?[A-Za-z_]\w{0,60}=/u.test(line)))
    return false;
  return contentLines.some((line) => {
    const [, name = "", , value = ""] = VARIABLE.exec(line) ?? [];
    return isSecretName(name) && /\d/u.test(value) && !isBlank(value);
  });
}

/** What a call may read of files that look like secrets. */
export interface OpenSecrets {
  /** The file that a person has allowed this call to read, by its path beneath the root. */
  readonly secretFile?: string | null;
  /** sha256 of contents that the session has read or written before. */
  readonly knownContents?: readonly string[];
}

/** Throws Refusal for content that looks like a secret and is not open to the call. */
export type RefuseSecret = (path: string, content: Buffer, sha256: () => string) => void;

export function createSecretGuard({ secretFile = null, knownContents = [] }: OpenSecrets): RefuseSecret {
  const known = new Set(knownContents);
  return (path, content, sha256) => {
    const kind = secretKind(path, content);
    if (kind === null || path === secretFile || known.has(sha256())) return;
    throw new Refusal(
      `${path} looks like ${kind}: its content is shown only if a person allows that. Use \`read\`, which asks.`,
    );
  };
}

/** Does the same for an open file. */
export function refuseOpenSecret(refuse: RefuseSecret, path: string, fd: number): void {
  refuse(path, readHead(fd, HEAD), () => hashFile(fd));
}

/** What kind of secret an open file seems to hold; null if none. */
export function openSecretKind(path: string, fd: number): string | null {
  return secretKind(path, readHead(fd, HEAD));
}
