import { z } from "zod";

/** Treats null as absent, since some servers write every field. */
export function nullAsAbsent<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? undefined);
}

const text = nullAsAbsent(z.string());
const entry = z.object({ name: text, description: text });

const items = {
  /** Unparsed, since catalogue/ judges each tool by itself. */
  tools: z.unknown(),
  resources: entry.extend({ uri: z.string() }),
  templates: entry.extend({ uriTemplate: z.string() }),
  prompts: entry.extend({
    name: z.string(),
    arguments: nullAsAbsent(z.array(z.object({ name: z.string(), required: nullAsAbsent(z.boolean()) }))),
  }),
};

/** The kinds of things that servers list, and what one of each looks like. */
export type Listed = { readonly [K in keyof typeof items]: z.infer<(typeof items)[K]> };

interface Listing<T> {
  /** The server capability that this listing belongs to. */
  readonly of: "tools" | "resources" | "prompts";
  readonly method: string;
  /** The key of the entries in a page. */
  readonly key: string;
  readonly item: z.ZodType<T>;
}

export const LISTINGS: { readonly [K in keyof Listed]: Listing<Listed[K]> } = {
  tools: { of: "tools", method: "tools/list", key: "tools", item: items.tools },
  resources: { of: "resources", method: "resources/list", key: "resources", item: items.resources },
  templates: {
    of: "resources",
    method: "resources/templates/list",
    key: "resourceTemplates",
    item: items.templates,
  },
  prompts: { of: "prompts", method: "prompts/list", key: "prompts", item: items.prompts },
};

export const pageSchema = z.looseObject({ nextCursor: text });
