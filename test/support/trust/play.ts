import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Mode } from "../../../src/core/agents/query-config.ts";
import type { ThreadMessage } from "../../../src/core/platform/chat-platform.ts";
import type { InboundMessage } from "../../../src/core/platform/inbound.ts";
import type { Person } from "../../../src/core/platform/thread.ts";
import { textOf } from "../../../src/core/protocol/messages.ts";
import type { ModelRequest } from "../../../src/core/providers/provider.ts";
import type { ChannelConfig } from "../../../src/core/run/runner-options.ts";
import type { Store } from "../../../src/core/store/store.ts";
import type { McpConnections } from "../../../src/features/mcp/connections.ts";
import type { McpCommandServer } from "../../../src/features/mcp/server-settings.ts";
import { createWebSearch } from "../../../src/features/web-search/web-search.ts";
import { saveAttachment } from "../../../src/tools/attachments.ts";
import { createInstructionGate, type InstructionGate } from "../../../src/tools/instructions/instruction-gate.ts";
import { createInstructionReader } from "../../../src/tools/instructions/instruction-layers.ts";
import { createAttach } from "../../../src/tools/native/attach.ts";
import { createReadThread } from "../../../src/tools/native/read-thread.ts";
import { measure } from "../../../src/tools/quotas/measure.ts";
import type { Quotas } from "../../../src/tools/quotas/quotas.ts";
import { createFileTools } from "../../../src/tools/sandboxed/file-tools.ts";
import { createDocumentReader } from "../../../src/tools/sandboxed/read-document.ts";
import { createSkillReader } from "../../../src/tools/skills/skill-reader.ts";
import { createSandbox, type Sandbox } from "../../../src/tools/wasm/sandbox.ts";
import { createWebFetch } from "../../../src/tools/web/web-fetch.ts";
import { type Reply, ScriptedModel } from "../../core/agent/query-fixture.ts";
import { connect } from "../../features/mcp/connected.ts";
import { exceptPublic, PUBLIC, type Site, startSite } from "../../tools/network/fetch-session.ts";
import { SANDBOX_CHILD } from "../program/built.ts";
import { silentLog } from "../silent-log.ts";
import { type SimOffice, simOffice } from "../simulation/sim-office.ts";
import { ANA } from "../simulation/sim-people.ts";
import { tempDirectory } from "../temp-directory.ts";
import { type DayLimits, quotasOf } from "./day-limits.ts";
import { remembering } from "./remembering.ts";

/**
 * A tool call of the model. In texts `{last}` stands for the newest result, and `{last:hex}` and the like for an
 * encoding of it.
 */
export interface Step {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** If set, the call is made only if the request contains these words. */
  readonly told?: string;
}

/** One person's message, the model's calls in response (one by one or several at once), and the click on each card. */
export interface Turn {
  readonly by?: Person;
  readonly says: string;
  readonly quoted?: InboundMessage["quoted"];
  /** Attachments by name. */
  readonly attached?: Readonly<Record<string, string>>;
  readonly addressed?: "none";
  readonly does?: readonly (Step | readonly Step[] | string)[];
  /** The model's final answer; a text among its calls ends a sub-agent. */
  readonly answer?: string;
  /** Restarts the program first. */
  readonly restarts?: true;
  /** Defaults to y, allow once. */
  readonly clicks?: "y" | "n" | "a" | "A";
  /** Forged clicks, made while a card waits and again once it is decided. */
  readonly presses?: readonly Press[];
  /** Answers the model's questions with the first option. */
  readonly answeredBy?: Person;
  /** Another thread of the channel. */
  readonly thread?: string;
  /** Files that somebody else changes in the checkout first. */
  readonly pulled?: Readonly<Record<string, string>>;
  /** If set, the person then allows the checkout's instructions. */
  readonly follows?: true;
  /** Another channel; all channels share one directory. */
  readonly channel?: string;
  /** The model gives no answer, so the run stays in progress. */
  readonly hangs?: true;
  /** Idle milliseconds before the turn. */
  readonly after?: number;
}

/** A click on a button that may never have been shown; `{id}` stands for the newest card's. */
export interface Press {
  readonly action: string;
  readonly by?: Person;
  readonly thread?: string;
  readonly channel?: string;
}

/** The setting of a conversation. Hosts end in `.test`, and all lead to one site. */
export interface Setting {
  readonly mode?: Mode;
  readonly allowedHosts?: ChannelConfig["allowedHosts"];
  readonly sinks?: ChannelConfig["sinks"];
  /** The site's pages by host and path; others are not found. */
  readonly pages?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** True if others also fill the channel's directory. */
  readonly isCheckout?: true;
  /** Earlier messages in the thread that the agent joins. */
  readonly said?: readonly ThreadMessage[];
  /** Members of the workspace; everybody if omitted. */
  readonly members?: readonly Person[];
  /** Byte limits of the directory, and of what a person and a channel may add in a day; omitted ones do not apply. */
  readonly quotas?: DayLimits;
  /** Maximum number of concurrent runs. */
  readonly maxConcurrentRuns?: number;
  /** Settings of an MCP server called wiki; if omitted, there is none. */
  readonly wiki?: Omit<McpCommandServer, "command" | "args">;
  /** If set, people's words are remembered; only channel P is private. */
  readonly remembers?: true;
}

export interface Played {
  /** The cards of each turn, as posted. */
  readonly cards: readonly (readonly string[])[];
  /** Requests to the site: `evil.test/?d=1`, followed by the body. */
  readonly requests: readonly string[];
  /** Results that the model received, in order. */
  readonly results: readonly string[];
  /** The newest content of each of the model's requests in the last turn. */
  readonly prompts: readonly string[];
  readonly office: SimOffice;
  /** Absolute path of the channel's directory. */
  readonly root: string;
  /** Bytes that the directory takes. */
  readonly held: number;
}

/** Plays a conversation through the real loop, tools and store. The model makes whatever calls it is scripted to. */
export async function play(turns: readonly Turn[], setting: Setting, shared: Sandbox): Promise<Played> {
  const quotas = setting.quotas === undefined ? undefined : quotasOf(setting.quotas);
  const sandbox = quotas === undefined ? shared : createSandbox({ ...SANDBOX_CHILD, quotas });
  onTestFinished(() => (sandbox === shared ? undefined : sandbox.close()));
  const site = await siteOf(setting);
  const root = rootWith(setting);
  const { mcp, calls } = await wikiOf(setting);
  const model = new DoingModel(site.named);
  const office = await openOffice({ model: model.model, site, setting, sandbox, root, quotas, mcp });
  const cards: string[][] = [];
  const first = turns.find(({ thread }) => thread === undefined);
  for (const turn of turns) {
    model.prompts.length = 0;
    const joins = turn === first && setting.said !== undefined;
    for (const [file, content] of Object.entries(turn.pulled ?? {})) put(root, file, content);
    cards.push(await playTurn(turn, { office, model, site, joins }));
  }
  const held = await measure(root, () => {}, new AbortController().signal);
  return {
    cards,
    requests: [...site.requests, ...calls()],
    results: model.results,
    prompts: model.prompts,
    office,
    root,
    held,
  };
}

interface Wiki {
  readonly mcp: McpConnections | null;
  /** The calls that it received. */
  readonly calls: () => readonly string[];
}

async function wikiOf({ wiki }: Setting): Promise<Wiki> {
  if (wiki === undefined) return { mcp: null, calls: () => [] };
  const script = fileURLToPath(new URL("./tool-server.ts", import.meta.url));
  const record = path.join(tempDirectory(), "calls");
  writeFileSync(record, "");
  const { mcp } = await connect({ wiki: { ...wiki, command: process.execPath, args: [script, record] } });
  return { mcp, calls: () => readFileSync(record, "utf8").split("\n") };
}

interface Stage {
  readonly office: SimOffice;
  readonly model: DoingModel;
  readonly site: TestSite;
  /** Whether the turn begins in an existing thread. */
  readonly joins: boolean;
}

async function playTurn(turn: Turn, { office, model, site, joins }: Stage): Promise<string[]> {
  const { by = ANA, says, quoted = [], attached = {}, does = [], clicks = "y", thread = "1" } = turn;
  if (turn.after !== undefined) await office.pass(turn.after);
  if (turn.restarts === true) await office.revive();
  if (turn.hangs === true) model.unanswered.add(says);
  model.queue.push(...does.map((step) => (Array.isArray(step) || typeof step === "string" ? step : [step])));
  model.queue.push(...(turn.answer === undefined ? [] : [turn.answer]));
  const attachments = Object.entries(attached).map(([name, content]) => {
    return { name, mediaType: "text/plain", size: content.length, ref: site.named(content) };
  });
  await office.say(site.named(says), {
    by,
    thread,
    quoted: JSON.parse(site.named(JSON.stringify(quoted))),
    attachments,
    ...(joins ? { opensThread: false } : {}),
    ...(turn.addressed === undefined ? {} : { addressed: turn.addressed }),
    ...(turn.channel === undefined ? {} : { channel: turn.channel }),
  });
  if (turn.answeredBy !== undefined) await office.click("answer:0:", { by: turn.answeredBy, thread });
  const seen: string[] = [];
  const made = turn.presses ?? [];
  for (let [card] = office.cards(thread); card !== undefined; [card] = office.cards(thread)) {
    seen.push(card.markdown);
    const id = card.buttons.flatMap((button) => /^approve:\w+:(.+)$/u.exec(button)?.[1] ?? [])[0] ?? "";
    await pressAll(made, id, { turn, office });
    if (office.cards(thread).length === 0) break;
    await office.click(`approve:${card.buttons.some((id) => id.startsWith(`approve:${clicks}:`)) ? clicks : "y"}:`, {
      by,
      thread,
    });
    await pressAll(made, id, { turn, office });
  }
  if (turn.follows === true) await office.click("hook:instructions:", { by, thread });
  return seen;
}

async function pressAll(
  presses: readonly Press[],
  id: string,
  { turn, office }: { readonly turn: Turn; readonly office: SimOffice },
): Promise<void> {
  for (const { action, by = turn.by ?? ANA, thread = turn.thread ?? "1", channel = turn.channel ?? "C" } of presses) {
    await office.press(action.replaceAll("{id}", id), { by, thread, channel });
  }
}

/** A model that takes one entry of its queue for each request, and finally says that it is done. */
class DoingModel {
  readonly queue: (readonly Step[] | string)[] = [];
  /** Texts that get no answer. */
  readonly unanswered = new Set<string>();
  readonly model: ScriptedModel;
  readonly results: string[] = [];
  readonly prompts: string[] = [];
  readonly #named: (text: string) => string;
  #calls = 0;

  constructor(named: (text: string) => string) {
    this.#named = named;
    this.model = new ScriptedModel((request) => this.#reply(request));
  }

  #reply(request: ModelRequest): Reply {
    const newest = request.messages.at(-1)?.content ?? [];
    if ([...this.unanswered].some((said) => textOf(newest).includes(said))) return { hangs: true };
    this.prompts.push(JSON.stringify(newest));
    for (const block of newest) if (block.type === "tool_result") this.results.push(textOf(block.content));
    const told = JSON.stringify([request.system, request.messages]);
    const last = lastOf(this.results);
    const next = this.queue.shift() ?? [];
    if (typeof next === "string") return { text: next.replaceAll(PLACES, (name) => ENCODED[name]?.(last) ?? name) };
    const steps = next.filter((step) => step.told === undefined || told.includes(step.told));
    if (steps.length === 0) return { text: "Done." };
    return {
      calls: steps.map(({ tool, input }) => {
        this.#calls += 1;
        return {
          id: `call_${this.#calls}`,
          name: tool,
          input: filled(JSON.parse(this.#named(JSON.stringify(input))), last),
        };
      }),
    };
  }
}

function lastOf(results: readonly string[]): string {
  return (results.at(-1) ?? "").replace(/^ *\d+\t/gmu, "").trim();
}

const PLACES = /\{last(?::\w+)?\}/gu;

const ENCODED: Readonly<Record<string, (text: string) => string>> = {
  "{last}": (text) => text,
  "{last:url}": (text) => encodeURIComponent(text),
  "{last:hex}": (text) => Buffer.from(text).toString("hex"),
  "{last:backwards}": (text) => Array.from(text).toReversed().join(""),
  "{last:base64}": (text) => Buffer.from(text).toString("base64url"),
  "{last:address}": (text) => /https?:\/\/\S+/u.exec(text)?.[0] ?? "",
  "{last:label}": (text) =>
    text
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/gu, "-")
      .replaceAll(/^-|-$/gu, "")
      .slice(0, 60),
};

function filled(value: unknown, last: string): unknown {
  if (typeof value === "string") return value.replaceAll(PLACES, (name) => ENCODED[name]?.(last) ?? name);
  if (Array.isArray(value)) return value.map((each) => filled(each, last));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each, last)]));
}

interface TestSite {
  readonly site: Site;
  readonly requests: string[];
  /** The text with the site's port added to each of its names. */
  readonly named: (text: string) => string;
}

async function siteOf({ pages = {} }: Setting): Promise<TestSite> {
  const requests: string[] = [];
  const named = (text: string) => text.replaceAll(/[a-z0-9*.-]+\.test\b(?![:.])/gu, (host) => `${host}:${site.port}`);
  const site = await startSite((request, response) => {
    const host = (request.headers.host ?? "").replace(/:\d+$/u, "");
    const address = `${host}${request.url ?? ""}`;
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      requests.push([address, Buffer.concat(chunks).toString()].filter((part) => part !== "").join(" "));
      if (request.url?.startsWith("/search?") === true) {
        response.setHeader("content-type", "application/json").end(searchAnswer(named, pages));
        return;
      }
      const page = pages[address] ?? pages[address.replace(/\?.*$/u, "?*")];
      if (page === undefined) response.writeHead(404).end("not found");
      else response.setHeader("content-type", "text/plain").end(named(page));
    });
  });
  return { site, requests, named };
}

/** A search result that lists all pages. */
function searchAnswer(named: (text: string) => string, pages: Readonly<Record<string, string>>): string {
  const results = Object.entries(pages).map(([address, content]) => {
    return { title: address, url: named(`http://${address}`), content: named(content.slice(0, 200)) };
  });
  return JSON.stringify({ results });
}

interface Opening {
  readonly model: ScriptedModel;
  readonly site: TestSite;
  readonly setting: Setting;
  readonly sandbox: Sandbox;
  readonly root: string;
  readonly quotas: Quotas | undefined;
  readonly mcp: McpConnections | null;
}

function rootWith({ files = {} }: Setting): string {
  const root = path.join(tempDirectory(), "root");
  mkdirSync(root);
  for (const [file, content] of Object.entries(files)) put(root, file, content);
  return root;
}

function gateOf(store: Store): InstructionGate {
  const skills = createSkillReader({ application: "/nowhere", home: "/nowhere" }, silentLog);
  const layers = createInstructionReader([], silentLog);
  return createInstructionGate(store, layers, skills);
}

function put(root: string, file: string, data: string | Uint8Array): string {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), data);
  return file;
}

function openOffice({ model, site, setting, sandbox, root, quotas, mcp }: Opening): Promise<SimOffice> {
  const { mode = "write", allowedHosts = [], sinks = [], said = [], members, maxConcurrentRuns = 4 } = setting;
  const realTools = [
    ...createFileTools(sandbox),
    createWebFetch(sandbox, { isForbiddenAddress: exceptPublic, resolve: () => Promise.resolve([PUBLIC]) }),
    createWebSearch({ service: "searxng", baseUrl: `http://${PUBLIC}:${site.site.port}` }),
  ];
  return simOffice({
    model,
    tools: [createReadThread(createDocumentReader(sandbox)), createAttach()],
    realTools: [...realTools, ...(mcp?.tools() ?? [])],
    ...(mcp === null ? {} : { commands: { mcp: (line) => mcp.command(line) } }),
    withSubAgents: true,
    ...(setting.remembers === true ? { feature: remembering } : {}),
    ...(setting.isCheckout === true ? { checkout: gateOf } : {}),
    config: { mode },
    place: {
      sandboxRoot: root,
      allowedHosts: [...allowedHosts, ...sinks.map(({ host }) => host)].map((host) =>
        host === "*" ? `*:${site.site.port}` : site.named(host),
      ),
      sinks: JSON.parse(site.named(JSON.stringify(sinks))),
    },
    said: said.map((message) => ({ ...message, text: site.named(message.text) })),
    ...(members === undefined
      ? {}
      : { platform: { member: (_, id) => Promise.resolve(members.find((each) => each.id === id) ?? null) } }),
    fetchFile: (ref) => new TextEncoder().encode(ref),
    maxConcurrentRuns,
    saveAttachment: (place, name, data) => saveAttachment({ place, name, data, log: silentLog, quotas }),
    readDocument: createDocumentReader(sandbox),
  });
}
