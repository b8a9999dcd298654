import { assertNever } from "../../core/protocol/assert-never.ts";
import { errorResult, type ToolResult, textResult } from "../../core/protocol/tool-result.ts";
import { createDocumentReader } from "../sandboxed/read-document.ts";
import type { Sandbox } from "../wasm/sandbox.ts";
import { type Content, contentOf } from "./content.ts";
import type { HttpResponse } from "./exchange.ts";
import type { Fetched } from "./follow.ts";
import { MAX_PAGE_CHARS, readPage } from "./page.ts";

/** Maximum characters of text in one result, below a turn's limit for results, so that a part is not cut further. */
const PART_CHARS = 30_000;

/** Maximum characters of a document's text. */
const DOCUMENT_CHARS = 100_000;

/** Maximum bytes of an image. Source: Anthropic docs, Vision: 5 MB an image in base64, which adds a third. */
const MAX_IMAGE_BYTES = 3_750_000;

/** Headers that a reader of the response may need in order to continue, each cut to a maximum length. */
const SHOWN_HEADERS = [
  "content-type",
  "content-language",
  "last-modified",
  "etag",
  "link",
  "location",
  "retry-after",
  "www-authenticate",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
] as const;
const HEADER_CHARS = 500;

interface Shown {
  readonly url: URL;
  readonly answer: HttpResponse;
  /** Number of characters that earlier parts have shown. */
  readonly offset: number;
}

/** Formats a response for the model. Throws what the sandbox does. */
export async function resultOf(
  shown: Shown,
  sandbox: Sandbox,
  scope: Parameters<typeof readPage>[2],
): Promise<ToolResult> {
  const { url, answer } = shown;
  const content = contentOf(answer);
  const head = headOf(shown);
  const readDocument = createDocumentReader(sandbox);
  const place = { ...scope.ctx, signal: scope.signal };
  switch (content.type) {
    case "html": {
      const { title, markdown } = await readPage({ html: content.text, url }, sandbox, scope);
      const cut = content.text.length > MAX_PAGE_CHARS;
      return textPart(shown, [...head, ...(title === "" ? [] : [`title: ${title}`])], { text: markdown, cut });
    }
    case "text":
      return textPart(shown, head, { text: content.text, cut: false });
    case "empty":
      return withErrorStatus(
        answer,
        textResult([...head, "", "(no body)"].join("\n"), { summary: `${answer.status}` }),
      );
    case "image":
      return media(shown, head, content);
    case "pdf":
    case "binary": {
      const text = answer.ending === "whole" ? await readDocument(answer.bytes, DOCUMENT_CHARS, place) : null;
      if (content.type === "pdf") return media(shown, head, { ...content, text: text ?? undefined });
      if (text !== null) return textPart(shown, head, { text, cut: text.length === DOCUMENT_CHARS });
      return errorResult(
        [...head, "", `This is ${content.mediaType}, which cannot be shown.`].join("\n"),
        "not readable",
      );
    }
    default:
      return assertNever(content);
  }
}

/** Tells the model where a redirect to a host that was not allowed leads, and what to do. */
export function elsewhereResult({ url, to }: Extract<Fetched, { type: "elsewhere" }>): ToolResult {
  return textResult(
    `${url.href} redirects to another host, which this call may not reach:\n${to.href}\nFetch that URL with another call if you need it.`,
    { summary: `redirects to ${to.host}` },
  );
}

function headOf({ url, answer }: Shown): string[] {
  const headers = SHOWN_HEADERS.flatMap((name) => {
    const value = answer.headers[name];
    return value === undefined ? [] : [`${name}: ${String(value).slice(0, HEADER_CHARS)}`];
  });
  return [`HTTP ${answer.status} ${answer.statusText.slice(0, 100)}`.trimEnd(), `url: ${url.href}`, ...headers];
}

function textPart(
  { answer, offset }: Shown,
  head: readonly string[],
  { text, cut }: { readonly text: string; readonly cut: boolean },
): ToolResult {
  const part = wholeCharacters(text.slice(offset, offset + PART_CHARS));
  const end = offset + part.length;
  const notes = [];
  if (end < text.length) {
    notes.push(`[Characters ${offset} to ${end} of ${text.length}. For the next part, call again with offset ${end}.]`);
  } else if (offset > 0) notes.push(`[Characters ${offset} to ${end}: the end.]`);
  if (answer.ending === "size" || cut)
    notes.push("[The server's response is longer than the limit; the rest was not read.]");
  if (answer.ending === "time")
    notes.push("[The server was still sending when the time limit was reached; the rest was not read.]");
  const lines = [...head, "", part.trim() === "" ? "(no text)" : part, ...notes];
  return withErrorStatus(answer, textResult(lines.join("\n"), { summary: `${answer.status}, ${sizeOf(answer)}` }));
}

/** Drops a trailing half of a surrogate pair, with which the next part then begins. */
function wholeCharacters(part: string): string {
  return /[\ud800-\udbff]$/.test(part) ? part.slice(0, -1) : part;
}

function media(
  { url, answer }: Shown,
  head: readonly string[],
  content: Extract<Content, { type: "image" }> | { readonly type: "pdf"; readonly text: string | undefined },
): ToolResult {
  const limited = content.type === "image" && answer.bytes.length > MAX_IMAGE_BYTES;
  if (answer.ending !== "whole" || limited) {
    return errorResult(
      [...head, "", `The ${content.type} is too large, or arrived too slowly, to be shown.`].join("\n"),
      "too large",
    );
  }
  const name = decodedName(url);
  const data = answer.bytes.toString("base64");
  const block =
    content.type === "pdf"
      ? { type: "document" as const, name, mediaType: "application/pdf", data, context: url.href, text: content.text }
      : { type: "image" as const, name, mediaType: content.mediaType, data };
  const summary = `${content.type === "pdf" ? "PDF" : "image"}, ${sizeOf(answer)}`;
  return withErrorStatus(answer, {
    content: [{ type: "text", text: head.join("\n") }, block],
    isError: false,
    summary,
  });
}

/** Marks a result with an error status as an error, and keeps the server's text. */
function withErrorStatus(answer: HttpResponse, result: ToolResult): ToolResult {
  return { ...result, isError: answer.status >= 400 };
}

function sizeOf({ bytes }: HttpResponse): string {
  return bytes.length < 1_024 ? `${bytes.length} bytes` : `${Math.ceil(bytes.length / 1_024)} KB`;
}

function decodedName({ pathname, host }: URL): string {
  const last = pathname.slice(pathname.lastIndexOf("/") + 1);
  return last === "" ? host : last.slice(0, 100);
}
