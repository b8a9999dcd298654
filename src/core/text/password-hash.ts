import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/** Cost of one guess: memory in kibibytes, and the number of passes over it. */
export interface HashCost {
  readonly memory: number;
  readonly passes: number;
}

/** Source: OWASP, Password Storage Cheat Sheet: argon2id with 19 MiB, two passes, one lane. */
const OWASP: HashCost = { memory: 19_456, passes: 2 };
const SHAPE = { parallelism: 1, tagLength: 32 };
const NONCE_BYTES = 16;
const HASH = /^argon2id\$([\w-]{22})\$([\w-]{43})$/u;

const derive = promisify(argon2);

export interface PasswordHashing {
  /** `argon2id$<nonce>$<tag>`, both in base64url. */
  readonly hash: (password: string) => Promise<string>;
  /** Whether the hash was made from this password at this cost. False for a malformed hash. */
  readonly isOf: (hash: string, password: string) => Promise<boolean>;
}

/** At OWASP's cost a hash takes 19 MiB and some ten milliseconds of a background thread. */
export function passwordHashing(cost: HashCost = OWASP): PasswordHashing {
  const tagOf = (message: string, nonce: Buffer) => derive("argon2id", { ...SHAPE, ...cost, message, nonce });
  return {
    hash: async (password) => {
      const nonce = randomBytes(NONCE_BYTES);
      const tag = await tagOf(password, nonce);
      return `argon2id$${nonce.toString("base64url")}$${tag.toString("base64url")}`;
    },
    isOf: async (hash, password) => {
      const [, nonce, expected] = HASH.exec(hash) ?? [];
      if (nonce === undefined || expected === undefined) return false;
      const tag = await tagOf(password, Buffer.from(nonce, "base64url"));
      return timingSafeEqual(tag, Buffer.from(expected, "base64url"));
    },
  };
}

export const { hash: hashPassword, isOf: isPasswordOf } = passwordHashing();
