import { z } from "zod";
import { causeChain, systemCode } from "../../../core/protocol/system-code.ts";
import type { ProviderRefusal } from "../account.ts";

/** The parts of openid-client's errors that are used here. */
const thrown = z
  .object({ code: z.string().catch(""), error: z.string().catch(""), cause: z.unknown().optional() })
  .catch({ code: "", error: "", cause: undefined });

/** The error about a provider whose name differs from the settings. */
const otherwise = z.object({ code: z.literal("OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED"), cause: z.unknown() });
const named = z.object({ body: z.object({ issuer: z.string() }) });

/** The provider's name is a pattern, as Microsoft's is for all tenants, so tokens of any tenant would fit. */
export class ManyTenants extends Error {
  readonly code = "MANY_TENANTS";
}

const WRONG_CLIENT: ProviderRefusal = {
  type: "unavailable",
  problem:
    "The provider does not accept Deckhand's client ID or secret. An operator must check `oidc.clientId` and `oidc.clientSecret`.",
};

const NO_PROVIDER: ProviderRefusal = {
  type: "unavailable",
  problem:
    "There is no OpenID Connect provider at its address. An operator must check `oidc.issuer`: that address followed by `/.well-known/openid-configuration` must open in a browser.",
};

const BY_CODE: Readonly<Record<string, ProviderRefusal>> = {
  // How the token endpoint refuses a secret sent in a header.
  OAUTH_WWW_AUTHENTICATE_CHALLENGE: WRONG_CLIENT,
  OAUTH_TIMEOUT: { type: "unavailable", problem: "The provider does not answer. Try again in a moment." },
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: {
    type: "unavailable",
    problem: "The clocks of Deckhand's machine and the provider differ too much. An operator must correct them.",
  },
  MANY_TENANTS: {
    type: "unavailable",
    problem: "The provider's address is shared by many tenants. An operator must set the team's own in `oidc.issuer`.",
  },
  OAUTH_RESPONSE_IS_NOT_CONFORM: {
    type: "unavailable",
    problem:
      "The provider answers with an error. An operator must check `oidc.issuer`: that address followed by `/.well-known/openid-configuration` must open in a browser.",
  },
  OAUTH_RESPONSE_IS_NOT_JSON: NO_PROVIDER,
  OAUTH_PARSE_ERROR: NO_PROVIDER,
  OAUTH_MISSING_SERVER_METADATA: NO_PROVIDER,
  OAUTH_UNSUPPORTED_OPERATION: {
    type: "unavailable",
    problem:
      "The provider signs its tokens in a way that is not accepted here, such as HS256. An operator must choose RS256 or ES256 for Deckhand there.",
  },
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: {
    type: "refused",
    problem: "The provider's answer belongs to another sign-in. Try again.",
  },
};

const REFUSED_THERE: ProviderRefusal = { type: "refused", problem: "The provider denied the sign-in." };
const BUSY: ProviderRefusal = { type: "unavailable", problem: "The provider is busy. Try again in a moment." };
const USED_UP: ProviderRefusal = {
  type: "refused",
  problem: "This sign-in has expired or was already used. Try again.",
};

/** Error codes of the provider itself. Source: RFC 6749, 4.1.2.1 and 5.2; OpenID Connect Core, 3.1.2.6. */
const BY_ERROR: Readonly<Record<string, ProviderRefusal>> = {
  invalid_client: WRONG_CLIENT,
  unauthorized_client: WRONG_CLIENT,
  access_denied: REFUSED_THERE,
  login_required: REFUSED_THERE,
  consent_required: REFUSED_THERE,
  interaction_required: REFUSED_THERE,
  account_selection_required: REFUSED_THERE,
  invalid_grant: USED_UP,
  invalid_scope: {
    type: "unavailable",
    problem: "The provider does not allow everything that `oidc.scope` asks for. An operator must make the two match.",
  },
  server_error: BUSY,
  temporarily_unavailable: BUSY,
};

const UNREACHED: ProviderRefusal = {
  type: "unavailable",
  problem: "The provider cannot be reached. Try again in a moment; `deckhand doctor` tells an operator why.",
};
const UNTRUSTED: ProviderRefusal = {
  type: "unavailable",
  problem:
    "The provider's certificate is not trusted here. An operator must add its authority's certificate in `NODE_EXTRA_CA_CERTS`, or set `oidc.issuer` to a name that it covers.",
};
const UNSOUND: ProviderRefusal = {
  type: "refused",
  problem: "The provider's answer is not valid. Try again; if it keeps happening, the log tells an operator why.",
};

/** Source: Node.js docs, X509 certificate error codes. */
const CERTIFICATE = /CERT|UNABLE_TO_/u;

/** Explains an error of openid-client, whose own messages are for programmers. */
export function refusalOf(error: unknown): ProviderRefusal {
  const { code, error: oauthError, cause } = thrown.parse(error);
  if (refusesClient(error)) return WRONG_CLIENT;
  const other = issuerNamed(error);
  if (other !== null) return calledOtherwise(other);
  const known = BY_ERROR[oauthError] ?? BY_CODE[code];
  if (code === "OAUTH_RESPONSE_IS_NOT_CONFORM" && cause instanceof Response && cause.status >= 500) return BUSY;
  if (known !== undefined) return known;
  // Errors that `fetch` throws if nobody answers, and their wrapped form.
  const isUnreached = error instanceof TypeError || (code === "" && oauthError === "" && cause instanceof TypeError);
  if (!isUnreached) return UNSOUND;
  return causeChain(error).some((one) => CERTIFICATE.test(systemCode(one) ?? "")) ? UNTRUSTED : UNREACHED;
}

/** The system's code if nobody answers at the provider's address; null for any other error. */
export function unreachedCode(error: unknown): string | null {
  if (refusalOf(error) !== UNREACHED) return null;
  const codes = causeChain(error).flatMap((one) => systemCode(one) ?? []);
  return codes.findLast((code) => !code.startsWith("OAUTH_")) ?? "no answer";
}

/** The provider's own name, if it differs from the settings; null for any other error. */
export function issuerNamed(error: unknown): URL | null {
  const found = named.safeParse(otherwise.safeParse(error).data?.cause);
  return found.success ? URL.parse(found.data.body.issuer) : null;
}

function calledOtherwise({ href }: URL): ProviderRefusal {
  const problem = `The provider calls itself ${href}, which differs from \`oidc.issuer\`. An operator must correct the setting.`;
  return { type: "unavailable", problem };
}

/** Whether the token endpoint rejects the client's credentials. */
function refusesClient(error: unknown): boolean {
  const { code, error: oauthError } = thrown.parse(error);
  // Auth0 says `access_denied` here; at the authorization endpoint that code means that a person declined.
  if (code === "OAUTH_RESPONSE_BODY_ERROR" && oauthError === "access_denied") return true;
  return (BY_ERROR[oauthError] ?? BY_CODE[code]) === WRONG_CLIENT;
}

/** Statuses of a token endpoint that expects the secret elsewhere and so does not find it. */
const REFUSALS: readonly number[] = [400, 401, 403];

/** Whether the secret may be accepted if it is sent in the other way. */
export function missesSecret(error: unknown): boolean {
  const { code, error: oauthError, cause } = thrown.parse(error);
  const isBare =
    code === "OAUTH_RESPONSE_IS_NOT_CONFORM" && cause instanceof Response && REFUSALS.includes(cause.status);
  return isBare || oauthError === "invalid_request" || refusesClient(error);
}
