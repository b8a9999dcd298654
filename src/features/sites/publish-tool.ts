import { z } from "zod";
import { startOf } from "../../core/people/run-people.ts";
import { textResult } from "../../core/protocol/tool-result.ts";
import { counted } from "../../core/text/counted.ts";
import { plainLine } from "../../core/text/plain-text.ts";
import { sizeText } from "../../core/text/sizes.ts";
import { defineTool, type Tool, type ToolContext } from "../../core/tool.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { asResult, orRefusal } from "../../tools/sandboxed/guest-call.ts";
import { Refusal } from "../../tools/wasm/workspace/refusal.ts";
import type { Found } from "./collect.ts";
import type { Publisher } from "./site.ts";
import type { Sites } from "./sites.ts";

/** Maximum number of files listed on a card. */
const SHOWN_FILES = 30;
const PATH_CHARS = 200;

const input = z.object({
  directory: z.string().min(1).describe("Relative to the working directory; must contain an index.html."),
  name: z.string().min(1).max(63).describe("Part of the address: lowercase letters, digits, hyphens."),
});
type Input = z.infer<typeof input>;

export function publishTool(sites: Sites, host: Pick<FeatureHost, "store">): Tool {
  return defineTool({
    name: "publish_site",
    description:
      "Publishes a directory of HTML, CSS, scripts and other files as a website, at an address that people open in a browser. " +
      "It publishes a copy; publishing the same name again replaces it. Pages can use only the site's own files, by relative URLs: " +
      "nothing from other hosts, no cookies, no storage. Files whose names begin with a dot are left out.",
    deferred: { about: "publishes a directory as a website" },
    input,
    permission: "write",
    parallel: false,
    afterCrash: "replay",
    grant: ({ name }) => ({ key: `publish_site:${name}`, label: `publishing ${name}` }),
    title: ({ name }) => name,
    rule: (_call, { nonInteractive }) =>
      nonInteractive === true
        ? { type: "refuse", reason: "Not published: a person must allow it, and nobody can be asked." }
        : { type: "ask", why: "Whoever can open the address reads these files.", always: true },
    sends: ({ directory, name }) => [{ to: sites.urlOf(name), says: `the files of ${directory}` }],
    preview: (call, ctx, signal) =>
      orRefusal(async () => {
        const found = await sites.preview(requestOf(call, ctx), signal);
        return { ...cardOf(found), question: `Publish ${call.name}?`, reach: `readable at ${sites.urlOf(call.name)}` };
      }),
    execute: (call, ctx, signal) =>
      asResult(async () => {
        const key = `${ctx.runId} ${ctx.callId}`;
        const { previewDigest: digest } = ctx;
        // What was shown on the card is lost in a restart: then only an already completed publication is reported.
        const before = await sites.published(key);
        if (before === null && (!ctx.approved || digest === undefined)) {
          throw new Refusal("Not published: a person must see the files and allow it. Call again.");
        }
        const by = await publisherOf(ctx, host);
        const progress = (text: string) => ctx.progress(text);
        const seen = digest === undefined ? {} : { digest };
        const version = await sites.publish({ ...requestOf(call, ctx), by, key, ...seen, progress }, signal);
        const { number, files, bytes } = version;
        return textResult(
          `Published as version ${number}: ${sites.urlOf(call.name)} (${counted(files, "file")}, ${sizeText(bytes)}).`,
          { summary: `version ${number} · ${counted(files, "file")}` },
        );
      }),
  });
}

function requestOf({ name, directory }: Input, { sandboxRoot: root, channelKey }: ToolContext) {
  return { name, source: { root, directory }, channelKey };
}

/** The person who started the run; a placeholder for a sub-agent, whose run nobody started. */
async function publisherOf({ runId }: ToolContext, { store }: Pick<FeatureHost, "store">): Promise<Publisher> {
  const began = await startOf(store, runId);
  return began?.body.kind === "message" ? began.body.author : { id: "", name: "an agent" };
}

function cardOf({ files, bytes, hidden, digest }: Found) {
  const lines = files
    .slice(0, SHOWN_FILES)
    .map(({ path, size }) => `${plainLine(path, PATH_CHARS)} · ${sizeText(size)}`);
  const more = files.length - lines.length;
  const text = [
    `${counted(files.length, "file")} · ${sizeText(bytes)}`,
    ...lines,
    ...(more > 0 ? [`… and ${more} more`] : []),
    ...(hidden > 0 ? [`left out: ${hidden} with names that begin with a dot`] : []),
  ];
  return { language: "", text: text.join("\n"), previewDigest: digest };
}
