import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** AES-256-GCM. The purpose is authenticated, so that a sealed text cannot be used in another's place. */
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const VERSION = "v1";

/** Encrypts a text to `v1.<nonce>.<ciphertext>.<tag>` in base64url. `key` has 32 bytes. */
export function seal(text: string, purpose: string, key: Uint8Array): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(purpose));
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return [VERSION, ...[nonce, body, cipher.getAuthTag()].map((bytes) => bytes.toString("base64url"))].join(".");
}

/** Null if the text was sealed with another key or for another purpose, or was changed. */
export function unseal(sealed: string, purpose: string, key: Uint8Array): string | null {
  const [version, ...parts] = sealed.split(".");
  const [nonce, body, tag] = parts.map((part) => Buffer.from(part, "base64url"));
  if (version !== VERSION || nonce === undefined || body === undefined || tag?.length !== 16) return null;
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce).setAAD(Buffer.from(purpose)).setAuthTag(tag);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}
