import type { FastifyInstance } from "fastify";

/** What a feature answers under `/features/<its name>/`, to the page alone. */
export interface FeatureRoute {
  readonly method: "GET" | "POST";
  /** Below the feature's own: `/list`. */
  readonly path: string;
  handle(request: FeatureRequest): Promise<FeatureAnswer>;
}

export interface FeatureRequest {
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

/** The guard has let the request through: it is the page's. `routes`: empty until features are open. */
export function registerFeatureRoutes(app: FastifyInstance, routes: () => FeatureRoutes): void {
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
      const query = new URL(request.url, "http://page").searchParams;
      const { status, body } = await found.handle({ query, body: request.body });
      return reply.code(status).header("cache-control", "no-store").send(body);
    },
  });
}
