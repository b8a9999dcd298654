import { z } from "zod";
import type { Clock } from "../../../core/protocol/runtime.ts";
import { fromJson } from "../../../core/text/from-json.ts";
import {
  adminPostRoute,
  type BegunSignIn,
  type ChangedSignIn,
  type FeatureAnswer,
  type FeatureRequest,
  type FeatureRoute,
} from "../../../feature.ts";
import type { FeatureHost } from "../../../feature-host.ts";
import { seal, unseal } from "../../../tools/secrets/sealed.ts";
import { sealingKey } from "../../../tools/secrets/sealing-key.ts";
import type { McpConnections } from "../connections.ts";
import { shownServers } from "../server-states/routes.ts";
import { signInCommand } from "./access.ts";
import { beginSignIn, begunSchema, finishSignIn, isAnswerTo, SIGN_IN_MS } from "./authorize.ts";
import { discover } from "./discovery.ts";
import { createGuardedFetch, type Reach } from "./guarded-fetch.ts";
import { forgetSignIn, keepSignIn } from "./keep.ts";
import { SignInProblem } from "./problems.ts";
import { takeChanges } from "./sign-ins.ts";
import type { SignedServer, Vault } from "./signed-in.ts";

const askedSchema = z.object({ name: z.string().max(200) });
const answeredSchema = askedSchema.extend({
  begun: z.string().max(100_000),
  /** The query of the address to which the service has sent the browser. */
  answer: z.string().max(20_000),
});

/** A sign-in that an account has begun on the page, and when. */
const sealedSchema = begunSchema.extend({ by: z.string(), at: z.number() });

const AGAIN =
  "This sign-in was not started here, has expired, or the server's settings have changed since. Sign in again.";

interface Scope extends Pick<FeatureHost, "audit" | "cluster" | "log" | "hideIn"> {
  readonly servers: Pick<McpConnections, "describe" | "idle" | "connections">;
  readonly vault: Vault;
  readonly reach: Reach;
  readonly clock: Clock;
}

/**
 * Routes with which admins sign in to servers on the page. Between the two halves of a sign-in, its browser holds what
 * belongs to it, encrypted and bound to the account that began it, so that any process can finish it.
 */
export function signInRoutes(scope: Scope): readonly FeatureRoute[] {
  const route = <T extends z.infer<typeof askedSchema>>(
    path: string,
    schema: z.ZodType<T>,
    work: (asked: T, at: Named, request: FeatureRequest) => Promise<BegunSignIn | ChangedSignIn>,
  ) =>
    adminPostRoute(path, async (request): Promise<FeatureAnswer> => {
      const asked = schema.safeParse(request.body).data;
      const at = serverOf(asked?.name ?? "", scope);
      if (asked === undefined || at === null)
        return { status: 404, body: { error: "That server does not use sign-ins." } };
      try {
        return { status: 200, body: await work(asked, at, request) };
      } catch (error) {
        if (error instanceof SignInProblem) return { status: 409, body: { error: error.text } };
        throw error;
      }
    });
  return [
    route("/sign-in", askedSchema, async (_, at, request) => begin(at, request, scope)),
    route("/signed-in", answeredSchema, async (asked, at, request) => end(asked, { at, request, scope })),
    route("/sign-out", askedSchema, async (_, at, { by }) => {
      const forgotten = await forgetSignIn(at, { ...scope, guarded: at.guarded });
      await scope.audit({ by, act: "mcp.signed_out", about: at.title });
      const isLeft = forgotten?.isRevoked === false;
      return changed(
        at,
        isLeft ? ["The service did not revoke the sign-in: remove Deckhand from the account's apps there."] : [],
        scope,
      );
    }),
  ];
}

interface Named extends SignedServer {
  readonly title: string;
  readonly guarded: ReturnType<typeof createGuardedFetch>;
}

/** Null if there is no such server, or nobody signs in to it. */
function serverOf(title: string, { servers, reach }: Scope): Named | null {
  const found = servers.connections.find((each) => each.title === title);
  if (found === undefined || found.access === null || "command" in found.settings) return null;
  const { name: server, settings } = found;
  return { server, settings, title, guarded: createGuardedFetch(settings, reach, new AbortController().signal) };
}

async function begin(at: Named, { origin, by }: FeatureRequest, { vault, clock }: Scope): Promise<BegunSignIn> {
  const redirectUri = redirectTo(origin, at);
  const sealing = await sealingKey(vault, true);
  if ("problem" in sealing) throw new SignInProblem(sealing.problem);
  const found = await discover(at.settings, at, new AbortController().signal);
  const { address, begun } = await beginSignIn(found, { ...at, redirectUri, redirectToRegister: redirectUri });
  const text = JSON.stringify({ ...begun, by, at: clock.now() });
  return { address: address.href, begun: seal(text, purposeOf(at), sealing.key) };
}

/** Addresses of this machine, to which services send browsers back without encryption as well. */
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/u;

/** The page's address, if services can send browsers to it. Throws SignInProblem. */
function redirectTo(origin: string, { settings: { oauth = {} }, title }: Named): string {
  const { href, protocol, hostname } = new URL("/", origin);
  const orRun = `run \`${signInCommand(title)}\` on the machine of the bot`;
  if (protocol !== "https:" && !LOOPBACK.test(hostname)) {
    throw new SignInProblem(
      `Services do not redirect to ${origin}, because it is not encrypted. Open this page by an https:// address (\`web.url\`), or ${orRun}.`,
    );
  }
  if (oauth.clientId !== undefined && oauth.redirectUri !== href) {
    throw new SignInProblem(
      `Its client was registered by hand. Register the redirect address ${href} for it and put that into \`oauth.redirectUri\`, or ${orRun}.`,
    );
  }
  return href;
}

async function end(
  asked: z.infer<typeof answeredSchema>,
  { at, request, scope }: { readonly at: Named; readonly request: FeatureRequest; readonly scope: Scope },
): Promise<ChangedSignIn> {
  const { vault, clock } = scope;
  const { by } = request;
  const now = clock.now();
  const sealing = await sealingKey(vault, false);
  if ("problem" in sealing) throw new SignInProblem(sealing.problem);
  const begun = sealedSchema.safeParse(fromJson(unseal(asked.begun, purposeOf(at), sealing.key) ?? "")).data;
  const answer = new URLSearchParams(asked.answer);
  const isOwn = begun?.by === by && now >= begun.at && now - begun.at < SIGN_IN_MS && isAnswerTo(begun, answer);
  if (begun === undefined || !isOwn) throw new SignInProblem(AGAIN);
  const signIn = await finishSignIn(begun, answer, { ...at, clock });
  const keeping = { vault, by, now, guarded: at.guarded };
  const notes = await keepSignIn(signIn, at, {
    ...keeping,
    audit: async (entry) => scope.audit({ ...entry, by }),
  });
  return changed(at, notes, scope);
}

/** Connects the server anew in all processes. */
async function changed({ title }: Named, notes: readonly string[], scope: Scope): Promise<ChangedSignIn> {
  const { servers, cluster, hideIn } = scope;
  const [{ reconnected }] = await Promise.all([takeChanges({ ...scope, ...servers }), cluster.publish("servers", "")]);
  await reconnected;
  return hideIn({ server: shownServers(servers).find(({ name }) => name === title) ?? null, notes });
}

function purposeOf({ server, settings }: SignedServer): string {
  return `sign-in under way to MCP server ${server} at ${new URL(settings.url).href}`;
}
