import { z } from "zod";
import type { PageRequest } from "../../../wasm/guests/page/request.ts";
import type { ToolContext } from "../../core/tool.ts";
import { callGuest } from "../sandboxed/guest-call.ts";
import type { CapabilityLimits } from "../wasm/capability.ts";
import type { Sandbox } from "../wasm/sandbox.ts";

/**
 * Limits for converting one page: memory for several copies of its text, and time for a slow conversion on a busy
 * machine.
 */
export const PAGE_LIMITS: CapabilityLimits = {
  clock: false,
  timeoutMs: 20_000,
  memoryMb: 128,
  outputBytes: 8_388_608,
};

/**
 * Maximum characters of a page's HTML; the rest is cut before conversion, which takes 1 to 3 s per million on one core.
 */
export const MAX_PAGE_CHARS = 1_000_000;

/** Number of leading characters that are searched for a `<base>`. */
const HEAD_CHARS = 20_000;

const reply = z.object({ title: z.string(), markdown: z.string() });

export type Page = z.infer<typeof reply>;

/** Converts a page to Markdown inside the sandbox. Throws what `callGuest` does. */
export function readPage(
  { html, url }: { readonly html: string; readonly url: URL },
  sandbox: Sandbox,
  { ctx, signal }: { readonly ctx: ToolContext; readonly signal: AbortSignal },
): Promise<Page> {
  const guest = { sandbox, name: "page", limits: PAGE_LIMITS } as const;
  const body: PageRequest = { html: html.slice(0, MAX_PAGE_CHARS), base: baseOf(html, url) };
  return callGuest(guest, { body, reply }, { ctx, signal, writes: false });
}

/** Base URL of relative links: the page's `<base>` if it has one, else its own URL. */
function baseOf(html: string, url: URL): string {
  const href = /<base\s[^<>]{0,500}?href\s*=\s*["']?([^"'\s>]{1,2000})/i.exec(html.slice(0, HEAD_CHARS))?.[1];
  const base = href === undefined ? null : URL.parse(href, url.href);
  return base !== null && /^https?:$/.test(base.protocol) ? base.href : url.href;
}
