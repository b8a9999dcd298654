import { unescape } from "node:querystring";
import type { z } from "zod";
import type { commandSchema, urlSchema } from "./entry.ts";

/** Flags whose value is a credential: `--api-key x`, `--token=x`, `-password x`. */
const SECRET_FLAG = /^--?[\w-]*(?:key|token|secret|password|pat)(?:=(.+))?$/iu;

/** A part of a path that is no word: some services put the key into the address. */
const KEY_IN_PATH = /^(?=[^/]*\d)(?=[^/]*[A-Za-z])[\w~.-]{20,}$/u;

/** `Bearer x`, `Basic x`, `token x`: the credential behind its scheme. */
const SCHEME = /^\S+ +(\S+)$/u;

/** Values of a server's settings that no log line may hold. */
export function ownSecrets(server: z.infer<typeof commandSchema> | z.infer<typeof urlSchema>): string[] {
  if ("url" in server) return [...Object.values(server.headers ?? {}).flatMap(ofHeader), ...ofAddress(server.url)];
  return [...Object.values(server.env ?? {}), ...ofArguments(server.args ?? [])];
}

function ofHeader(value: string): string[] {
  const credential = SCHEME.exec(value.trim())?.[1];
  return credential === undefined ? [value] : [value, credential];
}

/** As written in the address and as decoded. */
function ofAddress(url: string): string[] {
  const { username, password, pathname, searchParams } = new URL(url);
  const inPath = pathname.split("/").filter((part) => KEY_IN_PATH.test(part));
  const written = [username, password, ...inPath];
  return [...written, ...written.map((text) => unescape(text)), ...searchParams.values()].filter((text) => text !== "");
}

function ofArguments(args: readonly string[]): string[] {
  return args.flatMap((arg, at) => {
    const flag = SECRET_FLAG.exec(arg);
    if (flag !== null) return [flag[1] ?? args[at + 1] ?? ""].filter((value) => value !== "");
    return arg.includes("://") && URL.canParse(arg) ? ofAddress(arg) : [];
  });
}
