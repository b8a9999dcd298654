import { z } from "zod";
import type { ProviderRefusal } from "../account.ts";

/** What openid-client throws, as far as it is looked at. */
const thrown = z
  .object({ code: z.string().catch(""), error: z.string().catch(""), cause: z.unknown() })
  .catch({ code: "", error: "", cause: undefined });

const WRONG_CLIENT: ProviderRefusal = {
  type: "unavailable",
  problem:
    "The provider does not know Deckhand by these words. An operator sets `oidc.clientId` and `oidc.clientSecret`.",
};

const BY_CODE: Readonly<Record<string, ProviderRefusal>> = {
  // How the token endpoint refuses a secret that came in a header.
  OAUTH_WWW_AUTHENTICATE_CHALLENGE: WRONG_CLIENT,
  OAUTH_TIMEOUT: { type: "unavailable", problem: "The provider does not answer. Try again in a moment." },
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: {
    type: "unavailable",
    problem: "The clocks of Deckhand's machine and of the provider differ too much. An operator sets them right.",
  },
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: {
    type: "unavailable",
    problem: "The provider calls itself otherwise than the settings do. An operator compares `oidc.issuer`.",
  },
  OAUTH_RESPONSE_IS_NOT_CONFORM: {
    type: "unavailable",
    problem: "The provider answers with an error. An operator looks whether `oidc.issuer` is right.",
  },
  OAUTH_RESPONSE_IS_NOT_JSON: {
    type: "unavailable",
    problem: "There is no provider at its address. An operator looks whether `oidc.issuer` is right.",
  },
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: {
    type: "refused",
    problem: "The provider's answer was not made for this sign-in. Try again.",
  },
};

const REFUSED_THERE: ProviderRefusal = { type: "refused", problem: "The provider has not let you in." };
const USED_UP: ProviderRefusal = {
  type: "refused",
  problem: "This sign-in is too old, or was used before. Try again.",
};

/** What the provider itself says. Source: RFC 6749, 4.1.2.1 and 5.2; OpenID Connect Core, 3.1.2.6. */
const BY_ERROR: Readonly<Record<string, ProviderRefusal>> = {
  invalid_client: WRONG_CLIENT,
  unauthorized_client: WRONG_CLIENT,
  access_denied: REFUSED_THERE,
  login_required: REFUSED_THERE,
  consent_required: REFUSED_THERE,
  interaction_required: REFUSED_THERE,
  invalid_grant: USED_UP,
  temporarily_unavailable: { type: "unavailable", problem: "The provider is busy. Try again in a moment." },
};

const UNREACHED: ProviderRefusal = {
  type: "unavailable",
  problem: "The provider cannot be reached. Try again in a moment; an operator looks at `deckhand doctor`.",
};
const UNSOUND: ProviderRefusal = { type: "refused", problem: "The provider's answer does not hold. Try again." };

/** A sentence for whatever openid-client throws: its own messages are for programmers. */
export function refusalOf(error: unknown): ProviderRefusal {
  const { code, error: said, cause } = thrown.parse(error);
  const known = BY_ERROR[said] ?? BY_CODE[code];
  if (known !== undefined) return known;
  // What `fetch` throws where nobody answers, and what it is wrapped into.
  const isUnreached = error instanceof TypeError || (code === "" && said === "" && cause instanceof TypeError);
  return isUnreached ? UNREACHED : UNSOUND;
}
