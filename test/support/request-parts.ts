import { z } from "zod";

const schema = z.object({ system: z.unknown(), tools: z.array(z.object({ name: z.string() })).default([]) });

/** The system prompt of a request in Anthropic's form, as one text. */
export function systemOf(body: unknown): string {
  return JSON.stringify(schema.parse(body).system);
}

/** Names of the tools that a request offers, in order. */
export function toolsOf(body: unknown): string[] {
  return schema.parse(body).tools.map(({ name }) => name);
}
