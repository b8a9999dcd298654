import { hash } from "node:crypto";
import { assertNever } from "../protocol/assert-never.ts";
import { fromJson, isObject } from "../text/from-json.ts";

/** A call's arguments as an object, or as raw text if they are not one. */
export interface ToolInput {
  readonly input: unknown;
  readonly invalidJson?: string;
}

/** Bedrock and gateways to Anthropic's models send the empty input from a call's beginning ahead of its arguments. */
const EMPTY_BEFORE = /^\s*\{\s*\}(?=\s*\{)/;

/**
 * Parses a call's arguments, so that broken JSON becomes data that the model can be told about. Empty text and null
 * mean no arguments, unless the model was cut off (`cut`) before it wrote any. Some servers encode arguments twice.
 */
export function parseToolInput(json: string, cut = false): ToolInput {
  if (json.trim() === "") return cut ? { input: {}, invalidJson: json } : { input: {} };
  const input = fromJson(json.replace(EMPTY_BEFORE, ""));
  if (isObject(input)) return { input };
  if (input === null) return { input: {} };
  return typeof input === "string" ? parseToolInput(input) : { input: {}, invalidJson: json };
}

/** A call's arguments as an object to send back, since providers reject anything else. */
export function replayedInput(call: { input: unknown; invalidJson?: string | undefined }): Record<string, unknown> {
  if (call.invalidJson !== undefined) return { invalid_json: call.invalidJson };
  return isObject(call.input) ? { ...call.input } : {};
}

/** OpenAI allows 40 characters in Chat Completions and 64 in Responses, Anthropic 64. */
export type ToolIdFormat = "any" | "word40" | "alnum9";

/** `id` in a form that the provider accepts. Equal ids give equal results, so calls and results still match. */
export function providerToolId(id: string, format: ToolIdFormat): string {
  switch (format) {
    case "any":
      return id;
    case "word40":
      if (/^[A-Za-z0-9_-]{1,40}$/.test(id)) return id;
      return `${id.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 23)}_${hash("sha256", id).slice(0, 16)}`;
    case "alnum9":
      return /^[A-Za-z0-9]{9}$/.test(id) ? id : hash("sha256", id).slice(0, 9);
    default:
      return assertNever(format);
  }
}
