import type { Buffer } from "node:buffer";
import { isSecretName } from "../../core/text/secret-name.ts";
import { inUtf8 } from "../wasm/workspace/media-type.ts";
import { hashFile, readHead } from "../wasm/workspace/read-file.ts";
import { Refusal } from "../wasm/workspace/refusal.ts";

/** Files that hold credentials, by their names and by what they say: a copy under another name is one, too. */

const SAMPLE = /(?:^|[._-])(?:example|sample|template|tmpl|dist|defaults?|schema)(?:[._-]|$)/iu;

/** By the end of the path in small letters. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)(?:\.env(?:\.[^/]+)?|[^/]+\.env)$/u, "a file of environment variables"],
  [/(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/u, "a private key"],
  [/\.(?:p12|pfx|jks|keystore|kdbx|ppk)$/u, "a store of keys"],
  [
    /(?:^|\/)(?:\.netrc|_netrc|\.pgpass|\.git-credentials|\.htpasswd|\.pypirc|\.vault-token|\.dockercfg)$/u,
    "a file of credentials",
  ],
  [
    /(?:^|\/)(?:\.aws\/credentials|\.docker\/config\.json|application_default_credentials\.json)$/u,
    "cloud credentials",
  ],
  [/(?:^|\/)(?:\.kube\/config|kubeconfig(?:\.ya?ml)?|[^/]*\.kubeconfig)$/u, "a kubeconfig"],
  [/(?:^|\/)secrets?\.(?:ya?ml|json|toml|ini)$/u, "a file of secrets"],
  [/\.tfstate(?:\.backup)?$/u, "a Terraform state"],
];

/** All of the shapes are in it. One that spans the file would be tried from each of its lines on. */
const CONTENTS: readonly (readonly [shapes: readonly RegExp[], string])[] = [
  [[/-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\n){1,8}[\w+/=:-]{16}/u], "a private key"],
  [[/^\s{0,20}(?:-\s)?(?:client-key-data|token):\s*["']?[\w+/=.-]{20}/mu, /^kind:\s*Config/mu], "a kubeconfig"],
  [[/aws_secret_access_key["']?\s{0,5}[=:]\s{0,5}["']?[\w/+-]{30}/iu], "cloud credentials"],
  [[/:_(?:authToken|password)\s{0,3}=\s{0,3}["']?(?!\$)[^\s"']{8}/u], "a registry's credentials"],
  [
    [
      /\b(?:xox[abprs]-\d{6,}-[\w-]{10}|gh[opsur]_[A-Za-z0-9]{36}|github_pat_\w{50}|glpat-[\w-]{20}|sk-ant-[\w-]{24}|sk_live_[A-Za-z0-9]{20}|npm_[A-Za-z0-9]{36}|AIza[\w-]{35})/u,
    ],
    "a token",
  ],
];

/** Bytes of a file that are looked at. */
const HEAD = 65_536;

/** What a file of this path is by its name. */
export function namedKind(path: string): string | null {
  const name = path.toLowerCase();
  if (SAMPLE.test(name.slice(name.lastIndexOf("/") + 1))) return null;
  return NAMES.find(([end]) => end.test(name))?.[1] ?? null;
}

/** What a file with this path or content is, in a few words; null for one that seems to hold no secret. */
export function secretKind(path: string, content: Buffer): string | null {
  const named = namedKind(path);
  if (named !== null) return content.length === 0 ? null : named;
  const text = inUtf8(content.subarray(0, HEAD)).toString("latin1");
  return (
    CONTENTS.find(([shapes]) => shapes.every((shape) => shape.test(text)))?.[1] ??
    (areVariables(text) ? "a file of environment variables" : null)
  );
}

const VARIABLE = /^(?:export )?([A-Za-z_]\w{0,60})=(["']?)(\S{8,})\2$/u;

/** Whether nearly every line sets a variable, and one of them a credential: what no program is. */
function areVariables(text: string): boolean {
  if (!text.includes("=")) return false;
  const lines = text.split("\n").map((line) => line.trim());
  const said = lines.filter((line) => line !== "" && !line.startsWith("#"));
  if (said.length > 500 || said.some((line) => !/^(?:export )?[A-Za-z_]\w{0,60}=/u.test(line))) return false;
  return said.some((line) => {
    const [, name = "", , value = ""] = VARIABLE.exec(line) ?? [];
    return isSecretName(name) && /\d/u.test(value) && !/^\$|[<>{}]|example|changeme|x{4}/iu.test(value);
  });
}

/** What a call may read of such files. */
export interface OpenSecrets {
  /** The one that a person has allowed this call to read, by its path beneath the root. */
  readonly secretFile?: string | null;
  /** sha256 of what the session has read or written before. */
  readonly knownContents?: readonly string[];
}

/** Refuses to hand over what looks like a secret and is not open to the call. */
export type RefuseSecret = (path: string, content: Buffer, sha256: () => string) => void;

export function refusingSecrets({ secretFile = null, knownContents = [] }: OpenSecrets): RefuseSecret {
  const known = new Set(knownContents);
  return (path, content, sha256) => {
    const kind = secretKind(path, content);
    if (kind === null || path === secretFile || known.has(sha256())) return;
    throw new Refusal(
      `${path} looks like ${kind}: its content is handed over when \`read\` asks for it, and a person allows that.`,
    );
  };
}

/** The same of an open file. */
export function refuseOpenSecret(refuse: RefuseSecret, path: string, fd: number): void {
  refuse(path, readHead(fd, HEAD), () => hashFile(fd));
}

/** What an open file is, where it looks like a secret. */
export function openSecretKind(path: string, fd: number): string | null {
  return secretKind(path, readHead(fd, HEAD));
}
