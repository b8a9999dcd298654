import { z } from "zod";
import type { RecordedRequest } from "./model-server.ts";

/** The parts of an Anthropic request that the cache considers, in that order. */
const bodySchema = z.object({
  tools: z.array(z.unknown()).default([]),
  system: z.array(z.unknown()).default([]),
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
});

/** Breakpoints are not part of the cached content. */
const BREAKPOINT = /,"cache_control":\{[^}]*\}/gu;

function cachedBytes({ body }: RecordedRequest): Buffer {
  const { tools, system, messages } = bodySchema.parse(body);
  const parts = [...tools, ...system, ...messages.flatMap(({ role, content }) => [role, content].flat())];
  return Buffer.from(parts.map((part) => JSON.stringify(part).replaceAll(BREAKPOINT, "")).join("\n"));
}

export interface PrefixShare {
  /** Share of all input bytes that the previous request also began with, from 0 to 1. */
  readonly share: number;
  readonly bytes: number;
  /** Indices of requests that do not begin with the whole previous one. */
  readonly broken: readonly number[];
}

/**
 * Measures how much of a conversation's input a provider's cache can hold: the common prefix of each request and the
 * previous one.
 */
export function prefixShare(requests: readonly RecordedRequest[]): PrefixShare {
  const inputs = requests.map(cachedBytes);
  const bytes = inputs.reduce((sum, input) => sum + input.length, 0);
  const prefixes = inputs.map((input, index) => commonPrefix(inputs[index - 1], input));
  const unchanged = prefixes.reduce((sum, prefix) => sum + prefix, 0);
  const broken = prefixes.flatMap((prefix, index) => (prefix < (inputs[index - 1]?.length ?? 0) ? [index] : []));
  return { share: bytes === 0 ? 0 : unchanged / bytes, bytes, broken };
}

function commonPrefix(before: Buffer | undefined, input: Buffer): number {
  if (before === undefined) return 0;
  const most = Math.min(before.length, input.length);
  for (let at = 0; at < most; at++) if (before[at] !== input[at]) return at;
  return most;
}
