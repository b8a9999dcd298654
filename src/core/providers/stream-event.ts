import { z } from "zod";
import { ProviderError } from "../protocol/errors.ts";
import type { Fetch } from "./stall.ts";

/** Text that a provider may omit or send as null. */
export const textSchema = z
  .string()
  .nullish()
  .transform((text) => text ?? "");

/** Parses the used part of an event. A malformed event is a failure of the provider, not a defect. */
export function readEvent<T>(schema: z.ZodType<T>, event: unknown): T {
  const { success, data, error } = schema.safeParse(event);
  if (!success) throw new ProviderError("provider_failed", "a stream event of unknown form", { cause: error });
  return data;
}

/** Matches all other types in a union, as null. */
export function otherTypes(...types: readonly string[]) {
  return z.object({ type: z.string().refine((type) => !types.includes(type)) }).transform(() => null);
}

/**
 * A fetch that normalises event streams. It drops events without data, which gateways send as keep-alives and at which
 * OpenAI's SDK fails, and adds missing names, without which Anthropic's SDK ignores an event. Before the end marker of
 * Chat Completions, which the SDK does not pass on, it inserts a `done` event.
 */
export function wholeEvents(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, statusText, headers } = response;
    if (body === null || !/^text\/event-stream\b/i.test(headers.get("content-type") ?? "")) return response;
    return new Response(body.pipeThrough(onlyWhole()), { status, statusText, headers });
  };
}

/** Anthropic's events begin with their type. */
const TYPE = /^data: ?\{"type": ?"(\w+)"/;
const DONE = /^data: ?\[DONE\]\s*$/;
/** A failure as written by llama.cpp and servers based on it, if not as data. */
const FAILED = /^error: ?(\{.*)$/;

function onlyWhole(): TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let begun = "";
  let lines: string[] = [];

  function whole(): string {
    const fields = lines.filter((line) => /^data:.*\S/.test(line) || !line.startsWith("data:"));
    const first = fields.find((line) => line.startsWith("data:"));
    const name = fields.some((line) => line.startsWith("event:")) ? undefined : TYPE.exec(first ?? "")?.[1];
    lines = [];
    if (first === undefined) return "";
    if (DONE.test(first)) return 'data: {"done":true}\n\ndata: [DONE]\n\n';
    return [...(name === undefined ? [] : [`event: ${name}`]), ...fields, "", ""].join("\n");
  }

  return new TransformStream({
    transform(bytes, controller) {
      const ended = (begun + decoder.decode(bytes, { stream: true })).split("\n");
      begun = ended.pop() ?? "";
      let events = "";
      for (const line of ended.map((each) => each.replace(/\r$/, ""))) {
        if (line === "") events += whole();
        else lines.push(line.replace(FAILED, 'data: {"error":$1}'));
      }
      if (events !== "") controller.enqueue(encoder.encode(events));
    },
    flush(controller) {
      lines.push(begun);
      controller.enqueue(encoder.encode(whole()));
    },
  });
}
