import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { TeamSessions, Viewer } from "../sessions/team-sessions.ts";

/** Maximum length of a search text, in characters. */
const TEXT_CHARS = 200;
/** Maximum length of a path on Linux, in characters. */
const PATH_CHARS = 4_096;
const MAX_USD = 1_000_000;

const words = z.string().trim().max(TEXT_CHARS).default("");
const querySchema = z.object({
  text: words,
  person: words,
  channel: words,
  agent: words,
  state: z.enum(["", "none", "working", "waiting", "done", "failed", "stopped"]).default(""),
  leastUsd: z.coerce.number().min(0).max(MAX_USD).default(0),
  after: words,
});
const fileQuery = z.object({ path: z.string().min(1).max(PATH_CHARS) });
const pressSchema = z.object({ clickId: z.uuid(), action: z.string().min(1).max(TEXT_CHARS) });

/** A path with a session's id, which the router keeps short. */
type OfSession = { Params: { id: string } };

const NONE = { error: "This session does not exist." };

/**
 * Serves sessions of all platforms to the page. A missing session and one that the viewer may not see get the same
 * answer. `sessions` is null if the page shows none; `viewerOf` returns the sender of an admitted request.
 */
export function registerSessions(
  app: FastifyInstance,
  sessions: () => TeamSessions | null,
  viewerOf: (request: FastifyRequest) => Viewer,
): void {
  const answer = (reply: FastifyReply, body: object | null): FastifyReply =>
    reply
      .header("cache-control", "no-store")
      .code(body === null ? 404 : 200)
      .send(body ?? NONE);
  app.get("/sessions", async (request, reply) => {
    const query = querySchema.safeParse(request.query);
    if (!query.success) return reply.code(400).send({ error: "This search is not valid." });
    return answer(reply, (await sessions()?.list(viewerOf(request), query.data)) ?? null);
  });
  app.get("/sessions/choices", async (request, reply) =>
    answer(reply, (await sessions()?.choices(viewerOf(request))) ?? null),
  );
  app.get<OfSession>("/sessions/:id", async (request, reply) =>
    answer(reply, (await sessions()?.session(viewerOf(request), request.params.id)) ?? null),
  );
  app.get<OfSession>("/sessions/:id/change", async (request, reply) => {
    const query = fileQuery.safeParse(request.query);
    if (!query.success) return answer(reply, null);
    const asked = { sessionId: request.params.id, path: query.data.path };
    return answer(reply, (await sessions()?.change(viewerOf(request), asked)) ?? null);
  });
  app.post<OfSession>("/sessions/:id/press", async (request, reply) => {
    const body = pressSchema.safeParse(request.body);
    if (!body.success) return reply.code(400).send({ error: "This click is not valid." });
    const press = { sessionId: request.params.id, ...body.data };
    return answer(reply, (await sessions()?.press(viewerOf(request), press)) ?? null);
  });
}
