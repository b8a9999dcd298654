import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type AccessControlOptions, cookieIn, PROVIDER_PATHS, setCookie } from "./access-control.ts";
import { createFirstUseCheck } from "./entry-links.ts";
import type { Outcome, ProviderLogin, ProviderSecrets } from "./logins.ts";
import { isSame, PROVIDER_S, providerSecrets, providerTicket } from "./signatures.ts";

interface ProviderRoutes extends Pick<AccessControlOptions, "address" | "token" | "clock"> {
  /** Null if no provider is configured. */
  provider(): ProviderLogin | null;
  /** Whether no other process has used the ticket yet. */
  firstUse(ticket: string, forMs: number): Promise<boolean>;
  enter(request: FastifyRequest, reply: FastifyReply, outcome: SignedIn): Promise<FastifyReply>;
  /** Whether this browser is signed in already. */
  isSignedIn(request: FastifyRequest): Promise<boolean>;
  /** Sends the login page with an error. */
  refuse(request: FastifyRequest, reply: FastifyReply, refused: Refused): Promise<FastifyReply>;
}

type SignedIn = Extract<Outcome, { readonly type: "signed_in" }>;

interface Refused {
  readonly status: number;
  readonly problem: string;
}

const NONE: Refused = { status: 404, problem: "No sign-in provider is set up." };
const TOO_OLD: Refused = {
  status: 403,
  problem: "This sign-in was started in another browser, has expired, or was already used. Try again.",
};

/** Maximum number of unfinished sign-ins per browser, which may have one in each tab. */
const MAX_TICKETS = 4;
/** Separator of the tickets in a cookie, which is valid there and occurs in no ticket. */
const BETWEEN = "~";

/**
 * Sends browsers to the login provider and takes them back. The secrets of a sign-in are derived from its ticket, which
 * only its browser has, so answers that are forged or belong to another browser are rejected without stored state.
 */
export function registerProviderLogin(app: FastifyInstance, options: ProviderRoutes): void {
  const { address, token, clock } = options;
  const isFirstUse = createFirstUseCheck(() => clock.now(), PROVIDER_S * 1_000);
  const begunIn = (request: FastifyRequest): readonly Begun[] =>
    cookieIn(request, "provider", address)
      .split(BETWEEN)
      .flatMap((ticket) => {
        const secrets = providerSecrets(token, ticket, clock.now());
        return secrets === null ? [] : [{ ticket, secrets }];
      });
  const keep = (request: FastifyRequest, reply: FastifyReply, tickets: readonly string[]): void => {
    const value = tickets.length === 0 ? null : tickets.join(BETWEEN);
    setCookie({ request, reply }, { kind: "provider", value, maxAgeS: PROVIDER_S }, address);
  };

  app.get(PROVIDER_PATHS.there, async (request, reply) => {
    const provider = options.provider();
    if (provider === null) return options.refuse(request, reply, NONE);
    const ticket = providerTicket(clock.now());
    const secrets = providerSecrets(token, ticket, clock.now());
    if (secrets === null) return options.refuse(request, reply, TOO_OLD);
    const begun = await provider.begin(`${address.originOf(request.host)}${PROVIDER_PATHS.back}`, secrets);
    if (begun.type !== "at") return options.refuse(request, reply, { status: 503, problem: begun.problem });
    const others = begunIn(request).map((other) => other.ticket);
    keep(request, reply, [...others.slice(1 - MAX_TICKETS), ticket]);
    return reply.header("cache-control", "no-store").redirect(begun.address, 303);
  });

  app.get(PROVIDER_PATHS.back, async (request, reply) => {
    const provider = options.provider();
    if (provider === null) return options.refuse(request, reply, NONE);
    const answered = new URL(request.url, address.originOf(request.host));
    const state = answered.searchParams.get("state") ?? "";
    const begun = begunIn(request);
    const own = begun.find(({ secrets }) => isSame(state, secrets.state));
    const isFirst =
      own !== undefined && isFirstUse(own.ticket) && (await options.firstUse(own.ticket, PROVIDER_S * 1_000));
    if (!isFirst) {
      // A repeated answer, from a double click or the browser's history, is harmless.
      if (await options.isSignedIn(request)) return reply.redirect("/", 303);
      return options.refuse(request, reply, TOO_OLD);
    }
    const others = begun.filter((other) => other !== own);
    keep(
      request,
      reply,
      others.map(({ ticket }) => ticket),
    );
    const outcome = await provider.finish({ answered, secrets: own.secrets, address: request.ip });
    if (outcome.type === "signed_in") return options.enter(request, reply, outcome);
    const status = outcome.type === "refused" ? 403 : 503;
    return options.refuse(request, reply, { status, problem: outcome.problem });
  });
}

interface Begun {
  readonly ticket: string;
  readonly secrets: ProviderSecrets;
}
