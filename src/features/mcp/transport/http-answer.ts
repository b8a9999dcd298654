import type { SdkHttpError } from "@modelcontextprotocol/client";
import { z } from "zod";
import { fromJson } from "../../../core/text/from-json.ts";
import { foreignLine } from "../foreign-text.ts";

/** Maximum length of a server's error message and of a redirect's address, in characters. */
const MAX_WORDS = 500;

/** A server's refusal of a request. */
export interface HttpAnswer {
  readonly status: number;
  /** In the server's own words; empty if it gives none. */
  readonly said: string;
  /** Target of a redirect; empty if it is none. */
  readonly leadsTo: string;
}

/** Reads what the SDK keeps of a response: its body, and a message that names the target of a redirect. */
export function httpAnswer({ status, data, message }: SdkHttpError): HttpAnswer {
  const leadsTo = /\b(?:to|try) (https?:\/\/\S+) /.exec(message)?.[1] ?? "";
  return { status, said: wordsOf(text.parse(data["text"]) ?? ""), leadsTo: foreignLine(leadsTo, MAX_WORDS) };
}

const text = z.string().optional().catch(undefined);
const words = z.object({ message: text, error_description: text, detail: text, error: text, title: text });
const nested = z.object({ error: words });

/** The error message in a body; empty for an HTML page. */
function wordsOf(body: string): string {
  if (/^\s*</.test(body)) return "";
  const json = fromJson(body);
  const found = nested.safeParse(json).data?.error ?? words.safeParse(json).data ?? {};
  const said = found.message ?? found.error_description ?? found.detail ?? found.error ?? found.title;
  const line = foreignLine(said ?? (json === undefined ? body : ""), MAX_WORDS);
  return line.endsWith(".") ? line.slice(0, -1) : line;
}
