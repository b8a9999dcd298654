import { z } from "zod";
import { type ErrorCode, ProviderError } from "../../protocol/errors.ts";
import type { Clock } from "../../protocol/runtime.ts";
import { COPILOT_HEADERS } from "../copilot-headers.ts";
import type { Fetch } from "../stall.ts";

/** Where a GitHub token is exchanged. Unofficial; derived from the behaviour of open editors' extensions. */
const EXCHANGE_URL = "https://api.github.com/copilot_internal/v2/token";
/** A token is renewed this long before it expires. In milliseconds. */
const RENEW_EARLY_MS = 120_000;

export interface CopilotToken {
  readonly value: string;
  /** Root of the API for this subscription; null if GitHub does not say. */
  readonly root: string | null;
  /** In milliseconds since the Unix epoch. */
  readonly goodUntil: number;
}

/** The short-lived token for Copilot's API, exchanged for the operator's GitHub token and kept only in memory. */
export interface CopilotSession {
  /** The current token, or a new one if there is none or it is about to expire. */
  current(): Promise<CopilotToken>;
  /** Replaces a token that the API rejected. */
  renewed(refused: CopilotToken): Promise<CopilotToken>;
}

export function createCopilotSession(githubToken: string, fetch: Fetch, clock: Clock): CopilotSession {
  let held: CopilotToken | null = null;
  let coming: Promise<CopilotToken> | null = null;

  /** Concurrent calls share one exchange. */
  function exchange(): Promise<CopilotToken> {
    coming ??= exchanged(githubToken, fetch, clock)
      .then((token) => {
        held = token;
        return token;
      })
      .finally(() => {
        coming = null;
      });
    return coming;
  }

  return {
    async current() {
      return held !== null && clock.now() < held.goodUntil ? held : exchange();
    },
    async renewed(refused) {
      return held !== null && held !== refused ? held : exchange();
    },
  };
}

/** A fetch for Copilot's API that adds the token, and retries once with a new one if the API rejects it. */
export function copilotFetch(fetch: Fetch, session: CopilotSession): Fetch {
  return async (input, init) => {
    const token = await session.current();
    const response = await fetch(input, withToken(init, token));
    if (response.status !== 401) return response;
    await response.body?.cancel();
    return fetch(input, withToken(init, await session.renewed(token)));
  };
}

function withToken(init: RequestInit | undefined, token: CopilotToken): RequestInit {
  const headers = new Headers(init?.headers);
  for (const [name, value] of Object.entries(COPILOT_HEADERS)) headers.set(name, value);
  headers.set("authorization", `Bearer ${token.value}`);
  return { ...init, headers };
}

const answerSchema = z.object({
  token: z.string().min(1),
  /** In seconds since the Unix epoch. */
  expires_at: z.number(),
  endpoints: z.object({ api: z.url({ protocol: /^https?$/ }).nullish() }).nullish(),
});

async function exchanged(githubToken: string, fetch: Fetch, clock: Clock): Promise<CopilotToken> {
  const headers = { ...COPILOT_HEADERS, accept: "application/json", authorization: `token ${githubToken}` };
  const response = await fetch(EXCHANGE_URL, { headers });
  if (!response.ok) throw exchangeFailure(response.status, await response.text());
  const answer = answerSchema.safeParse(await response.json());
  if (!answer.success)
    throw new ProviderError("provider_failed", "a token exchange of unknown form", { cause: answer.error });
  const { token, expires_at, endpoints } = answer.data;
  return {
    value: token,
    root: endpoints?.api?.replace(/(?<!\/)\/+$/, "") ?? null,
    // If the local clock is ahead of GitHub's, not every call may start a new exchange.
    goodUntil: Math.max(expires_at * 1_000 - RENEW_EARLY_MS, clock.now() + RENEW_EARLY_MS),
  };
}

/** GitHub answers 404 to a token without access to Copilot. */
function exchangeFailure(status: number, body: string): ProviderError {
  const refused = status === 401 || status === 403 || status === 404;
  const code: ErrorCode = refused ? "auth" : status === 429 ? "rate_limited" : "provider_failed";
  return new ProviderError(code, `the token exchange answered ${status}: ${body.slice(0, 500)}`);
}
