import type { Buffer } from "node:buffer";
import { BINARY, HEAD_BYTES, mediaTypeOf } from "../wasm/workspace/media-type.ts";
import type { HttpResponse } from "./exchange.ts";

/** A classified body. The bytes decide first, because a server's content type may be wrong. */
export type Content =
  | { readonly type: "html" | "text"; readonly text: string }
  | { readonly type: "image"; readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp" }
  | { readonly type: "pdf" }
  | { readonly type: "empty" }
  | { readonly type: "binary"; readonly mediaType: string };

/**
 * Number of leading bytes where HTML may name its charset. Source: HTML standard, prescan a byte stream: 1,024 bytes.
 */
const META_BYTES = 1_024;

export function contentOf({ bytes, headers }: HttpResponse): Content {
  if (bytes.length === 0) return { type: "empty" };
  const [mediaType = "", parameters = ""] = splitType(headers["content-type"]);
  const charset = charsetOf(bytes, mediaType, parameters);
  // UTF-16 is full of NUL bytes, which otherwise mark binary files.
  const sniffed = charset.startsWith("utf-16") ? "" : mediaTypeOf(bytes.subarray(0, HEAD_BYTES));
  switch (sniffed) {
    case "image/png":
    case "image/jpeg":
    case "image/gif":
    case "image/webp":
      return { type: "image", mediaType: sniffed };
    case "application/pdf":
      return { type: "pdf" };
    case BINARY:
      return { type: "binary", mediaType: mediaType || BINARY };
    default:
      return textContent(bytes, mediaType, charset);
  }
}

function textContent(bytes: Buffer, mediaType: string, charset: string): Content {
  const text = new TextDecoder(charset).decode(bytes);
  const named = mediaType === "text/html" || mediaType === "application/xhtml+xml";
  const looksLike = mediaType === "" && /^\s*(<!doctype html|<html[\s>])/i.test(text.slice(0, META_BYTES));
  return { type: named || looksLike ? "html" : "text", text };
}

function splitType(contentType: string | undefined): string[] {
  const [mediaType = "", ...parameters] = (contentType ?? "").split(";");
  return [mediaType.trim().toLowerCase(), parameters.join(";")];
}

/**
 * The charset from a byte order mark, else the header, else the HTML or XML itself, else UTF-8. Source: HTML standard,
 * 13.2.3.
 */
function charsetOf(bytes: Buffer, mediaType: string, parameters: string): string {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  const named = /charset\s*=\s*"?([^\s";]+)/i.exec(parameters)?.[1];
  if (named !== undefined) return encodingOf(named);
  const own = encodingOf(ownCharset(bytes.toString("latin1", 0, META_BYTES), mediaType) ?? "utf-8");
  return own.startsWith("utf-16") ? "utf-8" : own; // in real UTF-16 this declaration would be unreadable
}

/** The charset that the beginning of a document declares. */
function ownCharset(head: string, mediaType: string): string | undefined {
  const meta = mediaType.includes("html") ? /<meta\s[^<>]*charset\s*=\s*["']?([\w-]+)/i.exec(head)?.[1] : undefined;
  return meta ?? /^<\?xml\s[^<>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1];
}

function encodingOf(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return "utf-8"; // an unknown charset
  }
}
