import type { FastifyInstance, FastifyRequest } from "fastify";
import { BODY_BYTES } from "../limits.ts";
import type { Viewer } from "../sessions/team-sessions.ts";
import type { AccountRole } from "./logins.ts";
import type { PageAddress } from "./page-address.ts";

/** A feature's HTTP route under `/features/<its name>/`, for the page alone. */
export interface FeatureRoute {
  readonly method: "GET" | "POST";
  /** Path below the feature's own, such as `/list`. */
  readonly path: string;
  /** Least role required. By default readers may GET, and those who take part may POST. */
  readonly role?: AccountRole;
  handle(request: FeatureRequest): Promise<FeatureAnswer>;
}

export interface FeatureRequest {
  /** The sender of the request. */
  readonly viewer: Viewer;
  /** Role of the sender; whoever holds the page's key on this machine counts as an admin. */
  readonly role: AccountRole;
  /** Account name of the sender; `operator` for whoever holds the page's key. */
  readonly by: string;
  /** The page's origin in the sender's browser. */
  readonly origin: string;
  readonly query: URLSearchParams;
  /** JSON of at most 1 MB, which the route must validate; undefined if there is none. */
  readonly body: unknown;
}

export interface FeatureAnswer {
  readonly status: number;
  /** Sent as JSON. */
  readonly body: unknown;
}

export type FeatureRoutes = ReadonlyMap<string, readonly FeatureRoute[]>;

const RANKS: Readonly<Record<AccountRole, number>> = { viewer: 0, operator: 1, admin: 2 };
const KEY_HOLDER = { role: "admin", name: "operator" } as const;
const NOT_ALLOWED = { error: "Only admins may do this." };

/**
 * Serves the features' routes to requests that access control has admitted. `routes` is empty until the features are
 * open; `viewerOf` returns the sender of a request.
 */
export function registerFeatureRoutes(
  app: FastifyInstance,
  { routes, address }: { readonly routes: () => FeatureRoutes; readonly address: Pick<PageAddress, "originOf"> },
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
      const origin = address.originOf(request.host);
      const { status, body } = await found.handle({ viewer, role, by, origin, query, body: request.body });
      return reply.code(status).header("cache-control", "no-store").send(body);
    },
  });
}

function leastRole({ method, role }: FeatureRoute): AccountRole {
  return role ?? (method === "GET" ? "viewer" : "operator");
}
