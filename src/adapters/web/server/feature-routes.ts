import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Viewer } from "../sessions/team-sessions.ts";
import type { AccountRole } from "./logins.ts";

/** What a feature answers under `/features/<its name>/`, to the page alone. */
export interface FeatureRoute {
  readonly method: "GET" | "POST";
  /** Below the feature's own: `/list`. */
  readonly path: string;
  /** The least that an account must be; left out: who may read may GET, and who takes part may POST. */
  readonly role?: AccountRole;
  handle(request: FeatureRequest): Promise<FeatureAnswer>;
}

export interface FeatureRequest {
  /** Who asks. */
  readonly viewer: Viewer;
  /** What they may do: whoever holds the page's key on this machine is as an admin. */
  readonly role: AccountRole;
  /** An account's name; `operator` for whoever holds the page's key. */
  readonly by: string;
  readonly query: URLSearchParams;
  /** JSON of at most 1 MB; undefined where there is none. To be checked. */
  readonly body: unknown;
}

export interface FeatureAnswer {
  readonly status: number;
  /** Sent as JSON. */
  readonly body: unknown;
}

/** By the feature's name. */
export type FeatureRoutes = ReadonlyMap<string, readonly FeatureRoute[]>;

const BODY_BYTES = 1_048_576;

const RANKS: Readonly<Record<AccountRole, number>> = { viewer: 0, operator: 1, admin: 2 };
const KEY_HOLDER = { role: "admin", name: "operator" } as const;
const NOT_ALLOWED = { error: "Your account may not do this: it is for admins." };

/**
 * The guard has let the request through: it is the page's. `routes`: empty until features are open. `viewerOf`: who has
 * sent it.
 */
export function registerFeatureRoutes(
  app: FastifyInstance,
  routes: () => FeatureRoutes,
  viewerOf: (request: FastifyRequest) => Viewer,
): void {
  app.route<{ Params: { feature: string; "*": string } }>({
    method: ["GET", "POST"],
    url: "/features/:feature/*",
    bodyLimit: BODY_BYTES,
    handler: async (request, reply) => {
      const { feature, "*": rest } = request.params;
      const found = routes()
        .get(feature)
        ?.find(({ method, path }) => method === request.method && path === `/${rest}`);
      if (found === undefined) return reply.callNotFound();
      const viewer = viewerOf(request);
      const { role, name: by } = viewer.kind === "operator" ? KEY_HOLDER : viewer.account;
      if (RANKS[role] < RANKS[leastRole(found)]) return reply.code(403).send(NOT_ALLOWED);
      const query = new URL(request.url, "http://page").searchParams;
      const { status, body } = await found.handle({ viewer, role, by, query, body: request.body });
      return reply.code(status).header("cache-control", "no-store").send(body);
    },
  });
}

function leastRole({ method, role }: FeatureRoute): AccountRole {
  return role ?? (method === "GET" ? "viewer" : "operator");
}
