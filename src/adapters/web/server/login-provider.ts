import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type DoorOptions, PROVIDER_PATHS, portOf } from "./door.ts";
import { firstUses } from "./entry-links.ts";
import { readCookie } from "./guard.ts";
import type { Outcome, ProviderLogin } from "./logins.ts";
import { isSame, PROVIDER_S, providerSecrets, providerTicket } from "./signatures.ts";

interface ProviderRoutes extends Pick<DoorOptions, "address" | "token" | "clock"> {
  /** Null where none is set. */
  provider(): ProviderLogin | null;
  /** Whether no other process has taken the ticket. */
  firstUse(ticket: string, forMs: number): Promise<boolean>;
  enter(request: FastifyRequest, reply: FastifyReply, outcome: SignedIn): Promise<FastifyReply>;
  /** The login page with what is wrong. */
  refuse(request: FastifyRequest, reply: FastifyReply, refused: Refused): Promise<FastifyReply>;
}

type SignedIn = Extract<Outcome, { readonly type: "signed_in" }>;

interface Refused {
  readonly status: number;
  readonly problem: string;
}

const NONE: Refused = { status: 404, problem: "There is no provider to sign in at." };
const TOO_OLD: Refused = {
  status: 403,
  problem: "This sign-in was not begun in this browser, is too old, or was used before. Try again.",
};

/**
 * To the provider and back. What a sign-in is known by again is made of its ticket, which is the browser's alone: another
 * browser's answer, one that somebody has made, and one that was used are told from it without asking anybody.
 */
export function registerProviderLogin(app: FastifyInstance, options: ProviderRoutes): void {
  const { address, token, clock } = options;
  const isFirstUse = firstUses(() => clock.now(), PROVIDER_S * 1_000);

  app.get(PROVIDER_PATHS.there, async (request, reply) => {
    const provider = options.provider();
    if (provider === null) return options.refuse(request, reply, NONE);
    const ticket = providerTicket(clock.now());
    const secrets = providerSecrets(token, ticket, clock.now());
    if (secrets === null) return options.refuse(request, reply, TOO_OLD);
    const begun = await provider.begin(`${address.originOf(request.host)}${PROVIDER_PATHS.back}`, secrets);
    if (begun.type !== "at") return options.refuse(request, reply, { status: 503, problem: begun.problem });
    const cookie = { kind: "provider", value: ticket, maxAgeS: PROVIDER_S } as const;
    reply.header("set-cookie", address.cookie(cookie, portOf(request)));
    return reply.header("cache-control", "no-store").redirect(begun.address, 303);
  });

  app.get(PROVIDER_PATHS.back, async (request, reply) => {
    const provider = options.provider();
    if (provider === null) return options.refuse(request, reply, NONE);
    const ticket = readCookie(request.headers.cookie, address.cookieName("provider", portOf(request))) ?? "";
    reply.header("set-cookie", address.cookie({ kind: "provider", value: null, maxAgeS: 0 }, portOf(request)));
    const answered = new URL(request.url, address.originOf(request.host));
    const secrets = providerSecrets(token, ticket, clock.now());
    const isOwn = secrets !== null && isSame(answered.searchParams.get("state") ?? "", secrets.state);
    const isFirst = isOwn && isFirstUse(ticket) && (await options.firstUse(ticket, PROVIDER_S * 1_000));
    if (!isFirst) return options.refuse(request, reply, TOO_OLD);
    const outcome = await provider.finish({ answered, secrets, address: request.ip });
    if (outcome.type === "signed_in") return options.enter(request, reply, outcome);
    const status = outcome.type === "refused" ? 403 : 503;
    return options.refuse(request, reply, { status, problem: outcome.problem });
  });
}
