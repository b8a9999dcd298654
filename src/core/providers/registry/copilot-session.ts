import { z } from "zod";
import { type ErrorCode, ProviderError } from "../../protocol/errors.ts";
import type { Clock } from "../../protocol/runtime.ts";
import { COPILOT_HEADERS } from "../copilot-headers.ts";
import type { Fetch } from "../stall.ts";

/** Where a GitHub token is exchanged. Unofficial; read from what open editors' extensions do. */
const EXCHANGE_URL = "https://api.github.com/copilot_internal/v2/token";
/** Milliseconds before its end from which a token is not used any more. */
const RENEW_EARLY_MS = 120_000;

export interface CopilotToken {
  readonly value: string;
  /** Root of the API for this subscription; null when GitHub does not say. */
  readonly root: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly goodUntil: number;
}

/** The short-lived token that Copilot's API takes, in exchange for the operator's GitHub token. Kept in memory only. */
export interface CopilotSession {
  /** The held token, or a new one when there is none or it is about to end. */
  current(): Promise<CopilotToken>;
  /** Another token in place of one that the API refused. */
  renewed(refused: CopilotToken): Promise<CopilotToken>;
}

export function createCopilotSession(githubToken: string, fetch: Fetch, clock: Clock): CopilotSession {
  let held: CopilotToken | null = null;
  let coming: Promise<CopilotToken> | null = null;

  /** Calls that need a token at the same time share one exchange. */
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

/** A fetch for Copilot's API: it carries the token, and tries once with another when the API refuses it. */
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
  /** Seconds since the Unix epoch. */
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
    // A clock that is ahead of GitHub's must not make every call exchange anew.
    goodUntil: Math.max(expires_at * 1_000 - RENEW_EARLY_MS, clock.now() + RENEW_EARLY_MS),
  };
}

/** GitHub says 404 to a token that has nothing to do with Copilot. */
function exchangeFailure(status: number, said: string): ProviderError {
  const refused = status === 401 || status === 403 || status === 404;
  const code: ErrorCode = refused ? "auth" : status === 429 ? "rate_limited" : "provider_failed";
  return new ProviderError(code, `the token exchange answered ${status}: ${said.slice(0, 500)}`);
}
