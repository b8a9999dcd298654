import { Buffer } from "node:buffer";
import { z } from "zod";
import { capabilitiesText } from "../../core/capabilities.ts";
import { imageTypeSchema, textOf } from "../../core/protocol/messages.ts";
import { errorResult, type ToolResult, textResult } from "../../core/protocol/tool-result.ts";
import { counted } from "../../core/text/counted.ts";
import { fromJson } from "../../core/text/from-json.ts";
import { cut } from "../../core/text/plain-text.ts";
import { defineTool, type Tool } from "../../core/tool.ts";
import { outsideOf } from "../../core/trust/label.ts";
import { withChangedFiles } from "../../tools/sandboxed/changed-files.ts";
import { callerOf, type Guest } from "../../tools/sandboxed/guest-call.ts";
import { capabilityFor, FILE_LIMITS, guestCapabilities } from "../../tools/wasm/capability.ts";
import type { Sandbox } from "../../tools/wasm/sandbox.ts";
import { type ProgramEnd, type ProgramStart, programEndSchema } from "../../tools/wasm/wasi/wasi.ts";
import { isMedia, showMedia } from "../../tools/web/show-media.ts";
import { programArguments } from "./arguments.ts";
import type { Manifest } from "./manifest.ts";

type Input = Record<string, unknown>;

export interface Extension {
  readonly manifest: Manifest;
  readonly input: z.ZodType<Input>;
  readonly directory: string;
}

const TITLE_CHARS = 60;

/** Maximum size of an image in base64 characters. Source: Anthropic docs, Vision: 5 MB an image. */
const MAX_IMAGE = 5_000_000;

/** A tool that runs a third party's component under its manifest's limits, each call in a fresh instance. */
export function createExtensionTool({ manifest, input, directory }: Extension, sandbox: Sandbox): Tool {
  const { name, description, permission, parallel, afterCrash, world } = manifest;
  const isProgram = world === "wasi:cli/run";
  const files: Guest = { sandbox, name: "files", limits: FILE_LIMITS };
  return defineTool<Input>({
    name,
    description,
    deferred: { about: firstSentence(description) },
    input,
    permission,
    parallel,
    afterCrash,
    grant: () => grantOf(manifest),
    title: titleOf,
    brings: () => ({ who: manifest.hosts.map(outsideOf), holds: permission === "none" ? [] : ["files"] }),
    ...(manifest.hosts.length === 0
      ? {}
      : { sends: (call: unknown) => manifest.hosts.map((to) => ({ to, says: JSON.stringify(call) })) }),
    capabilities: (_call, place) => capabilitiesOf(manifest, place),
    preview: async (call, ctx) => ({
      question: `Use the tool ${name}?`,
      language: "json",
      text: JSON.stringify(call, null, 2),
      reach: `a component from extensions · ${capabilitiesText(capabilitiesOf(manifest, ctx))}`,
    }),
    execute: (call, ctx, signal) => {
      const capabilities = capabilitiesOf(manifest, ctx);
      const scope = { ctx, signal, writes: capabilities.files === "write", hosts: manifest.hosts };
      return withChangedFiles(files, scope, async ({ printed = () => {}, ...noting }) => {
        const refusals = new Set<string>();
        const refused = (sentence: string) => refusals.add(sentence);
        const caller = { ...callerOf({ ...noting, printed: ifText(printed) }), refused };
        const request = isProgram ? programStart(manifest, call) : JSON.stringify(call);
        const capability = capabilityFor(ctx, capabilities);
        const output = await sandbox.call(directory, request, capability, caller);
        const result = isProgram
          ? programResult(manifest, programEndSchema.parse(JSON.parse(output)))
          : toolResult(output);
        return result.isError ? withRefusals(result, refusals) : showMedia(result, ctx);
      });
    },
  });
}

/** Maximum length of the summary that stands for a tool until it is looked up, in characters. */
const ABOUT_CHARS = 80;

function firstSentence(description: string): string {
  const [sentence = ""] = description.replaceAll(/\s+/g, " ").split(/(?<=[.:;]) /, 1);
  return cut(sentence, ABOUT_CHARS);
}

/** Passes output on unless it is binary, as the partial output of a program that makes an image. */
function ifText(tell: (text: string) => void): (text: string) => void {
  return (text) => {
    if (!text.includes("\0")) tell(text);
  };
}

/** Maximum number of refusals added to a result. */
const MAX_REFUSALS = 5;

/** Adds refused requests that a failed result does not mention, since `fetch` in some toolchains gives no reason. */
function withRefusals(result: ToolResult, refusals: ReadonlySet<string>): ToolResult {
  const said = textOf(result.content);
  const unsaid = [...refusals].filter((sentence) => !said.includes(sentence)).slice(0, MAX_REFUSALS);
  if (unsaid.length === 0) return result;
  return { ...result, content: [...result.content, { type: "text", text: unsaid.join("\n") }] };
}

const FILES = { none: "none", read: "read", write: "write", execute: "write" } as const;

function capabilitiesOf({ permission, limits, hosts }: Manifest, { readOnly }: { readonly readOnly: boolean }) {
  return guestCapabilities({ clock: true, ...limits }, { files: FILES[permission], readOnly, hosts });
}

/** Includes the hosts in the grant's key, so that a changed tool.json with other hosts needs another approval. */
function grantOf({ name, hosts }: Manifest): ReturnType<Tool["grant"]> {
  const tool = { key: `extension:${name}`, label: `using the tool ${name}` };
  if (hosts.length === 0) return tool;
  return { key: `${tool.key} ${hosts.join(",")}`, label: `${tool.label}, reaching ${hosts.join(", ")}` };
}

function titleOf(input: Input): string {
  const first = Object.values(input).find((value) => typeof value === "string") ?? "";
  return cut(first.split("\n")[0] ?? "", TITLE_CHARS);
}

function programStart({ arguments: template, stdin, permission }: Manifest, call: Input): ProgramStart {
  const { [stdin ?? ""]: text = "", ...rest } = call;
  return {
    args: programArguments(stdin === undefined ? call : rest, template),
    stdin: typeof text === "string" ? text : JSON.stringify(text),
    files: permission !== "none",
  };
}

function programResult({ output = "text", name }: Manifest, { code, stdout, stderr, cut }: ProgramEnd): ToolResult {
  const errors = Buffer.from(stderr, "base64").toString("utf8").trimEnd();
  const said = Buffer.from(stdout, "base64");
  if (code !== 0) {
    const parts = [output === "text" ? said.toString("utf8").trimEnd() : "", errors, `Exit code ${code}.`];
    return errorResult(parts.filter((part) => part !== "").join("\n"), `exit code ${code}`);
  }
  if (cut)
    return errorResult("The program wrote more than its output limit. Ask for less per call.", "too much output");
  if (output !== "text")
    return imageResult(errors, [{ name: fileName(name, output), mediaType: output, base64: stdout }]);
  const text = said.toString("utf8").trimEnd();
  const all = errors === "" ? text : `${text}\n\nOn its standard error:\n${errors}`.trimStart();
  return textResult(all === "" ? "The program ended without output." : all, { summary: lineCount(text) });
}

function fileName(name: string, mediaType: string): string {
  return `${name}.${mediaType.slice(mediaType.indexOf("/") + 1)}`;
}

const image = z.object({ name: z.string().min(1).max(200), mediaType: imageTypeSchema, base64: z.base64() });

const replySchema = z
  .object({ text: z.string().default(""), isError: z.boolean().default(false), images: z.array(image).default([]) })
  .refine(({ text, images }) => text !== "" || images.length > 0, "neither text nor an image");

function toolResult(output: string): ToolResult {
  const reply = replySchema.safeParse(fromJson(output));
  if (!reply.success)
    return errorResult("The tool returned no valid result: its component is faulty.", "no valid answer");
  const { text, isError, images } = reply.data;
  if (isError) return errorResult(text, "failed");
  return images.length > 0 ? imageResult(text, images) : textResult(text, { summary: lineCount(text) });
}

function imageResult(text: string, images: readonly z.infer<typeof image>[]): ToolResult {
  const faulty = images.find(({ base64, mediaType }) => base64.length > MAX_IMAGE || !isMedia(base64, mediaType));
  if (faulty !== undefined) {
    const { name, mediaType } = faulty;
    return errorResult(`The tool returned ${name}, which is too large or not ${mediaType}.`, "no valid answer");
  }
  const names = images.map(({ name }) => name).join(", ");
  return {
    content: [
      { type: "text", text: text === "" ? names : text },
      ...images.map(({ name, mediaType, base64 }) => ({ type: "image" as const, name, mediaType, data: base64 })),
    ],
    isError: false,
    summary: counted(images.length, "image"),
  };
}

function lineCount(text: string): string {
  return counted(text === "" ? 0 : text.split("\n").length, "line");
}
