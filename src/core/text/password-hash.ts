import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/** Source: OWASP, Password Storage Cheat Sheet: argon2id with 19 MiB, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
const NONCE_BYTES = 16;
const HASH = /^argon2id\$([\w-]{22})\$([\w-]{43})$/u;

const derive = promisify(argon2);

/** `argon2id$<nonce>$<tag>`, both in base64url. Takes 19 MiB and some ten milliseconds of a thread beside. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(NONCE_BYTES);
  const tag = await derive("argon2id", { ...COST, message: password, nonce });
  return `argon2id$${nonce.toString("base64url")}$${tag.toString("base64url")}`;
}

/** Whether a hash was made of this password; false for what is no hash. */
export async function isPasswordOf(hash: string, password: string): Promise<boolean> {
  const [, nonce, expected] = HASH.exec(hash) ?? [];
  if (nonce === undefined || expected === undefined) return false;
  const tag = await derive("argon2id", { ...COST, message: password, nonce: Buffer.from(nonce, "base64url") });
  return timingSafeEqual(tag, Buffer.from(expected, "base64url"));
}
