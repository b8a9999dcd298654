import { z } from "zod";
import type { StoredFile } from "./world.ts";

export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

export function failure(status: number, code: number, message: string): ApiAnswer {
  return { status, body: { code, message } };
}

const rowSchema = z.object({
  type: z.literal(1),
  components: z
    .array(
      z.object({
        type: z.literal(2),
        style: z.number().int().min(1).max(4),
        label: z.string().min(1).max(80),
        custom_id: z.string().min(1).max(100),
      }),
    )
    .min(1)
    .max(5),
});

/** A message that a bot may send, with Discord's limits. */
export const outgoingSchema = z.object({
  content: z.string().max(2_000).default(""),
  flags: z.number().default(0),
  components: z.array(rowSchema).max(5).default([]),
  allowed_mentions: z
    .object({ parse: z.array(z.string()).optional(), users: z.array(z.string()).optional() })
    .optional(),
  nonce: z.string().max(25).optional(),
  enforce_nonce: z.boolean().optional(),
});
export type Outgoing = z.infer<typeof outgoingSchema>;

/** A dialog, with Discord's limits. */
export const modalSchema = z.strictObject({
  custom_id: z.string().min(1).max(100),
  title: z.string().min(1).max(45),
  components: z
    .array(
      z.strictObject({
        type: z.literal(1),
        components: z
          .array(
            z.strictObject({
              type: z.literal(4),
              style: z.union([z.literal(1), z.literal(2)]),
              custom_id: z.string().min(1).max(100),
              label: z.string().min(1).max(45),
              required: z.boolean().default(true),
              value: z.string().min(1).max(4_000).optional(),
              placeholder: z.string().max(100).optional(),
            }),
          )
          .length(1),
      }),
    )
    .min(1)
    .max(5),
});
export type Modal = z.infer<typeof modalSchema>;

/** Autocomplete choices for an option, with Discord's limits. */
export const choicesSchema = z.strictObject({
  choices: z.array(z.strictObject({ name: z.string().min(1).max(100), value: z.string().min(1).max(100) })).max(25),
});
export type Choices = z.infer<typeof choicesSchema>["choices"];

/** Reads the JSON and files of a request, which is a form or JSON alone. */
export async function readBody(
  body: Buffer,
  contentType: string,
  nextId: () => string,
): Promise<{ readonly json: unknown; readonly files: readonly StoredFile[] }> {
  if (!contentType.startsWith("multipart/form-data")) {
    return { json: body.length === 0 ? {} : JSON.parse(body.toString()), files: [] };
  }
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": contentType } }).formData();
  const files: StoredFile[] = [];
  for (const [name, value] of form) {
    if (typeof value === "string" || !name.startsWith("files[")) continue;
    const data = new Uint8Array(await value.arrayBuffer());
    files.push({ id: nextId(), name: value.name, mediaType: value.type, data });
  }
  const payload = form.get("payload_json");
  return { json: typeof payload === "string" ? JSON.parse(payload) : {}, files };
}
