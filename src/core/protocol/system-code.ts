/** The code that a system, a driver or a library gives its error; undefined where there is none. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Null where the system fails with one of the codes. */
export function unlessSystem<T>(codes: readonly string[], work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (codes.includes(systemCode(error) ?? "")) return null;
    throw error;
  }
}

/** The same of work that is under way. */
export async function unlessFails<T>(codes: readonly string[], work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (codes.includes(systemCode(error) ?? "")) return null;
    throw error;
  }
}

/** Null where there is no such file or directory. */
export function unlessMissing<T>(work: Promise<T>): Promise<T | null> {
  return unlessFails(["ENOENT"], work);
}

/** Errors within errors that are looked through. */
const DEEPEST = 8;

/** The error and what it was made of, outermost first: SDKs wrap what they were told. A cycle holds nobody up. */
export function causes(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let at = error; at !== undefined && at !== null && chain.length < DEEPEST; ) {
    chain.push(at);
    at = at instanceof Error ? (at.cause ?? ("original" in at ? at.original : undefined)) : undefined;
  }
  return chain;
}

/** Source: Node docs, “Errors”; undici docs, “Errors”. */
const NO_CONNECTION: ReadonlySet<string | undefined> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Whether no connection came about, so that nobody has had the request. */
export function wasNeverSent(error: unknown): boolean {
  return causes(error).some((cause) => NO_CONNECTION.has(systemCode(cause)) || cause instanceof ProxyFailure);
}

/** What went wrong on the way to or at the proxy that the operator has set; among the causes of the failure that it makes. */
export class ProxyFailure extends Error {}

/** What an operator has to know of the proxy, as a sentence without its end; null where it is not to blame. */
export function proxyFailure(error: unknown): string | null {
  return causes(error).find((cause) => cause instanceof ProxyFailure)?.message ?? null;
}

/** `code`: the system's, or undefined. */
export function proxyAway(code: string | undefined): string {
  return `the proxy cannot be reached (${code ?? "no code"}): check HTTPS_PROXY`;
}

/** What it means that a proxy makes no connection. `status`: of HTTP. */
export function proxyRefuses(status: number): string {
  if (status === 407) {
    return "the proxy wants a name and password, or other ones (HTTP 407): set HTTPS_PROXY=http://name:password@host:port";
  }
  return `the proxy does not connect to it (HTTP ${status}): have the proxy allow it, or name it in NO_PROXY`;
}
