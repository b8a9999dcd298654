import { unescape } from "node:querystring";
import { isSecretName } from "../../../core/text/secret-name.ts";
import type { McpServer } from "../server-settings.ts";

/** `--api-key`, `--token=x`, `-password`. */
const FLAG = /^--?([\w-]+)(?:=(.*))?$/su;
/** `X-Api-Key: x`, alone or as the value of a flag. */
const HEADER = /^(?:--?[\w-]+=)?([\w-]+):\s*(\S.*)$/su;
/** `API_KEY=x`, as launchers of other programs accept it. */
const VARIABLE = /^(\w+)=(.+)$/su;

/** A path segment that looks like a key, which some services put into the address. */
const KEY_IN_PATH = /^(?=[^/]*\d)(?=[^/]*[A-Za-z])[\w~.-]{20,}$/u;

/** `Bearer x`, `Basic x`, `token x`: the credential behind its scheme. */
const SCHEME = /^\S+ +(\S+)$/u;

/** Values in a server's settings that must not appear in a log. */
export function serverSecrets(server: McpServer): string[] {
  if ("url" in server) {
    const secret = server.oauth?.clientSecret;
    const headers = Object.values(server.headers ?? {}).flatMap(ofHeader);
    return [...headers, ...ofAddress(server.url), ...(secret === undefined ? [] : [secret])];
  }
  return [...Object.values(server.env ?? {}), ...ofArguments(server.args ?? [])];
}

function ofHeader(value: string): string[] {
  const credential = SCHEME.exec(value.trim())?.[1];
  return credential === undefined ? [value] : [value, credential];
}

/** The secrets of an address, both as written and decoded. */
function ofAddress(url: string): string[] {
  const { username, password, pathname, searchParams, hash } = new URL(url);
  const inPath = pathname.split("/").filter((part) => KEY_IN_PATH.test(part));
  const written = [username, password, ...inPath];
  const parameters = [...searchParams.values(), ...new URLSearchParams(hash.slice(1)).values()];
  return [...written, ...written.map((text) => unescape(text)), ...parameters].filter((text) => text !== "");
}

function ofArguments(args: readonly string[]): string[] {
  return args.flatMap((arg, at) => {
    const [, flag = "", joined] = FLAG.exec(arg) ?? [];
    if (isSecretName(flag) || /key$/iu.test(flag))
      return [joined ?? args[at + 1] ?? ""].filter((value) => value !== "");
    const [, header = "", sent = ""] = HEADER.exec(arg) ?? [];
    if (isSecretName(header)) return ofHeader(sent);
    const [, variable = "", value = ""] = VARIABLE.exec(arg) ?? [];
    if (isSecretName(variable)) return [value];
    return arg.includes("://") && URL.canParse(arg) ? ofAddress(arg) : [];
  });
}
