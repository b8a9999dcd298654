import type { SdkHttpError } from "@modelcontextprotocol/client";
import { z } from "zod";
import { fromJson } from "../../../core/text/from-json.ts";
import { foreignLine } from "../foreign-text.ts";

/** Characters of what a server says of a status, and of an address. */
const MAX_WORDS = 500;

/** How a server refused a request. */
export interface HttpAnswer {
  readonly status: number;
  /** In its own words; empty when it has none. */
  readonly said: string;
  /** Where a redirect leads; empty when it is none. */
  readonly leadsTo: string;
}

/** What the SDK keeps of an answer: its body, and in a sentence where a redirect leads. */
export function httpAnswer({ status, data, message }: SdkHttpError): HttpAnswer {
  const leadsTo = /\b(?:to|try) (https?:\/\/\S+) /.exec(message)?.[1] ?? "";
  return { status, said: wordsOf(text.parse(data["text"]) ?? ""), leadsTo: foreignLine(leadsTo, MAX_WORDS) };
}

const text = z.string().optional().catch(undefined);
const words = z.object({ message: text, error_description: text, detail: text, error: text, title: text });
const nested = z.object({ error: words });

/** A page for people says nothing in a line. */
function wordsOf(body: string): string {
  if (/^\s*</.test(body)) return "";
  const json = fromJson(body);
  const found = nested.safeParse(json).data?.error ?? words.safeParse(json).data ?? {};
  const said = found.message ?? found.error_description ?? found.detail ?? found.error ?? found.title;
  const line = foreignLine(said ?? (json === undefined ? body : ""), MAX_WORDS);
  return line.endsWith(".") ? line.slice(0, -1) : line;
}
