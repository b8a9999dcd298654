import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { localFile, pageFile } from "../../render/local/message-body.ts";
import type { LocalThreadStore } from "../../render/local/thread-store.ts";
import { WEB_LIMITS } from "../limits.ts";

/** Types shown inline. All others are downloads, because SVG and HTML would run as documents of the page's origin. */
const INLINE_IMAGES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

const uploadQuery = z.object({ name: z.string().min(1).max(255), type: z.string().max(255).default("") });

/** Serves message files: the page uploads them before the message that names them and fetches them by id. */
export function registerFileRoutes(app: FastifyInstance, store: LocalThreadStore): void {
  app.addContentTypeParser("application/octet-stream", { parseAs: "buffer" }, (_request, body, done) =>
    done(null, body),
  );
  app.post("/files", { bodyLimit: WEB_LIMITS.attachmentBytes }, async (request, reply) => {
    const query = uploadQuery.safeParse(request.query);
    if (!query.success) return reply.code(400).send({ error: "The upload has no name." });
    if (!Buffer.isBuffer(request.body)) return reply.code(415).send({ error: "The upload must be plain bytes." });
    const mediaType = /^[\w.+-]+\/[\w.+-]+$/.test(query.data.type) ? query.data.type : "application/octet-stream";
    const file = localFile({ name: query.data.name, mediaType, data: request.body });
    await store.putFile(file);
    return reply.code(201).send(pageFile(file));
  });
  app.get<{ Params: { id: string } }>("/files/:id", async (request, reply) => {
    const file = await store.file(request.params.id);
    if (file === null) return reply.code(404).send({ error: "This file does not exist." });
    const inline = INLINE_IMAGES.has(file.mediaType);
    return reply
      .type(inline ? file.mediaType : "application/octet-stream")
      .header("content-disposition", disposition(inline ? "inline" : "attachment", file.name))
      .header("content-security-policy", "default-src 'none'; sandbox")
      .send(Buffer.from(file.data));
  });
}

/** Content-Disposition by RFC 6266: an ASCII name for old clients and the real name encoded. */
function disposition(kind: "inline" | "attachment", name: string): string {
  const plain = name.replaceAll(/[^\w.-]/g, "_");
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
