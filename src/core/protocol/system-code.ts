/** The code in an error of the system, a driver or a library; undefined if there is none. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Returns null if the work fails with one of these codes. */
export function unlessSystem<T>(codes: readonly string[], work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (codes.includes(systemCode(error) ?? "")) return null;
    throw error;
  }
}

/** As `unlessSystem`, for work under way. */
export async function unlessFails<T>(codes: readonly string[], work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (codes.includes(systemCode(error) ?? "")) return null;
    throw error;
  }
}

/** Returns null if the file or directory does not exist. */
export function unlessMissing<T>(work: Promise<T>): Promise<T | null> {
  return unlessFails(["ENOENT"], work);
}

/** Maximum depth of nested errors. */
const DEEPEST = 8;

/** The error and its causes, outermost first, since SDKs wrap errors. Bounded, so that a cycle ends too. */
export function causeChain(error: unknown): readonly unknown[] {
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

/** Whether no connection was made, so that the other side never got the request. */
export function wasNeverSent(error: unknown): boolean {
  return causeChain(error).some((cause) => NO_CONNECTION.has(systemCode(cause)) || cause instanceof ProxyFailure);
}

/** A failure on the way to or at the operator's proxy, found among the causes of the failed request. */
export class ProxyFailure extends Error {}

/** What an operator must know about the proxy, as a sentence without its end; null if the proxy is not to blame. */
export function proxyFailure(error: unknown): string | null {
  return causeChain(error).find((cause) => cause instanceof ProxyFailure)?.message ?? null;
}

/** What to do about a certificate that is not accepted. Source: Node.js docs, X509 certificate error codes. */
const CERTIFICATES: readonly (readonly [RegExp, string])[] = [
  [/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)/u, "has expired or is not valid yet: check the clock of this machine"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID/u, "is for another name: check the base URL"],
  [/CERT|UNABLE_TO_/u, "is not trusted here: add its authority's certificate in NODE_EXTRA_CA_CERTS"],
];

/**
 * What an operator can do about a failed connection, as a sentence without its end: about the proxy, or about a
 * certificate that is not accepted, as behind a proxy that intercepts TLS. Null if neither is to blame.
 */
export function connectionRemedy(error: unknown): string | null {
  const proxy = proxyFailure(error);
  if (proxy !== null) return proxy;
  for (const code of causeChain(error).map(systemCode)) {
    const remedy = code === undefined ? undefined : CERTIFICATES.find(([pattern]) => pattern.test(code))?.[1];
    if (remedy !== undefined) return `its certificate ${remedy} (${code})`;
  }
  return null;
}

/** Message for an unreachable proxy. `code`: the system's, or undefined. */
export function proxyUnreachableText(code: string | undefined): string {
  return `the proxy cannot be reached (${code ?? "no code"}): check HTTPS_PROXY or HTTP_PROXY`;
}

/** Message for a proxy that refuses to connect. `status`: of HTTP. */
export function proxyRefusalText(status: number): string {
  if (status === 407) {
    return "the proxy requires a name and password, or different ones (HTTP 407): HTTPS_PROXY or HTTP_PROXY must be http://name:password@host:port";
  }
  return `the proxy does not connect to it (HTTP ${status}): allow it in the proxy, or add it to NO_PROXY`;
}
