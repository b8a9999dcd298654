import { z } from "zod";
import { imageTypeSchema } from "../../core/protocol/messages.ts";
import { fromJson } from "../../core/text/from-json.ts";
import { spelledPattern } from "../../core/trust/host-patterns.ts";

/** The schema of `tool.json`, which says what an extension is and may do. */

/**
 * `deckhand:extension` is wasm/extension/tool.wit; a `wasi:cli/run` component is a program with arguments and output.
 */
export const WORLDS = ["deckhand:extension", "wasi:cli/run"] as const;
export type World = (typeof WORLDS)[number];

export const LARGEST = { timeoutMs: 600_000, memoryMb: 1_024, outputBytes: 16_777_216 } as const;

const hostPattern = z.string().transform((text, issues) => {
  const pattern = spelledPattern(text);
  if (pattern !== null) return pattern;
  issues.addIssue("must be a host as in allowedHosts, such as api.example.com");
  return z.NEVER;
});

const limits = z.strictObject({
  timeoutMs: z.int().min(100).max(LARGEST.timeoutMs).default(30_000),
  memoryMb: z.int().min(1).max(LARGEST.memoryMb).default(64),
  outputBytes: z.int().min(1_000).max(LARGEST.outputBytes).default(1_048_576),
});

export const manifestSchema = z.strictObject({
  $schema: z.string().optional(),
  name: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, "must be a letter, then letters, digits, `_` or `-`, at most 64")
    .refine((name) => !name.startsWith("mcp__"), "must not begin with mcp__, as the names of MCP servers' tools do"),
  description: z.string().min(1).max(4_000),
  world: z.enum(WORLDS),
  /** File name beside tool.json. */
  component: z
    .string()
    .regex(/^[\w-][\w.-]*\.wasm$/, "must be a file name that ends in .wasm")
    .default("component.wasm"),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits in lower case"),
  /** JSON Schema of the call's input. */
  input: z.looseObject({ type: z.literal("object") }),
  /** none: no files; read: read-only files; write and execute: may change files, after a person's approval. */
  permission: z.enum(["none", "read", "write", "execute"]),
  parallel: z.boolean().default(false),
  afterCrash: z.enum(["replay", "never"]).default("never"),
  limits: limits.default(limits.parse({})),
  /** Patterns of the hosts that the component may reach, as in `allowedHosts`. */
  hosts: z.array(hostPattern).max(20).default([]),
  /** `wasi:cli/run` only, see arguments.ts. */
  arguments: z.array(z.string()).optional(),
  /** `wasi:cli/run` only: the input property that the program receives on standard input. */
  stdin: z.string().optional(),
  /** `wasi:cli/run` only: type of the program's standard output. */
  output: z.union([z.literal("text"), imageTypeSchema]).optional(),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** A manifest with its input schema as a parser, or a line that says what is wrong. */
export type ReadManifest =
  | { readonly manifest: Manifest; readonly input: z.ZodType<Record<string, unknown>> }
  | { readonly problem: string };

export function readManifest(text: string): ReadManifest {
  const json = fromJson(text);
  if (json === undefined) return { problem: "tool.json is not valid JSON" };
  const parsed = manifestSchema.safeParse(json);
  if (!parsed.success) return { problem: `tool.json is not valid: ${issuesOf(parsed.error)}` };
  const manifest = parsed.data;
  const programOnly = (["arguments", "stdin", "output"] as const).filter((key) => manifest[key] !== undefined);
  if (manifest.world !== "wasi:cli/run" && programOnly.length > 0) {
    return {
      problem: `tool.json is not valid: ${programOnly.join(", ")} may only be used with the world wasi:cli/run`,
    };
  }
  try {
    const input = z.fromJSONSchema(manifest.input).pipe(z.record(z.string(), z.unknown()));
    z.toJSONSchema(input, { io: "input" });
    return { manifest, input };
  } catch (error) {
    return {
      problem: `the input schema in tool.json is not valid: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

function issuesOf(error: z.ZodError): string {
  return error.issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`))
    .join("; ");
}
