import { z } from "zod";
import { foreignLine, foreignText } from "../foreign-text.ts";
import { nullAsAbsent } from "../listings.ts";
import { leftOutBy, type McpServer, unmetNames } from "../server-settings.ts";
import { cleanSchema, type JsonObject, schemaProblem } from "./input-schema.ts";
import { hashedName, qualifiedName } from "./names.ts";

/** Maximum number of tools of one server, to save memory. Requests carry only a few; known servers have up to 350. */
export const MAX_TOOLS = 1_000;

/** Maximum characters of all descriptions and schemas of one server. Requests carry only those that were looked up. */
const MAX_CATALOGUE_CHARS = 5_000_000;

/** Maximum length of a tool's description, in characters. Known servers that explain their own markup stay below. */
const MAX_DESCRIPTION = 16_000;

/** Maximum length of a tool's own name, in characters. */
const MAX_TOOL_NAME = 200;

/** Maximum length of a tool's name as shown to people, in characters. */
const MAX_SHOWN_NAME = 80;

export interface ListedTool {
  /** `mcp__server__tool`. */
  readonly name: string;
  /** The server's own name for the tool. */
  readonly tool: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** The server claims that the tool changes nothing. */
  readonly readOnlyHint: boolean;
}

export interface LeftOutTool {
  readonly tool: string;
  readonly why: string;
}

export interface Catalogue {
  /** Sorted by name. */
  readonly tools: readonly ListedTool[];
  readonly leftOut: readonly LeftOutTool[];
  /** Names and patterns in the settings that match no tool of the server. */
  readonly unmet: readonly string[];
}

const listedSchema = z.object({
  name: z.string().min(1).max(MAX_TOOL_NAME),
  description: nullAsAbsent(z.string()),
  inputSchema: z.record(z.string(), z.unknown()),
  annotations: z
    .object({ readOnlyHint: z.boolean().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/** Reads a server's tool list into what models are offered. An unusable tool does not affect the others. */
export function readCatalogue(server: string, settings: McpServer, raw: readonly unknown[]): Catalogue {
  const byName = new Map<string, ListedTool>();
  const leftOut: LeftOutTool[] = [];
  const seen = new Set<string>();
  let chars = 0;
  for (const item of raw) {
    const parsed = listedSchema.safeParse(item);
    const shown = foreignLine(shownName(item), MAX_SHOWN_NAME);
    const leave = (why: string) => leftOut.push({ tool: shown, why });
    if (!parsed.success) {
      leave("its definition is not valid");
      continue;
    }
    const tool = parsed.data.name;
    const problem = problemOf(settings, parsed.data) ?? (seen.has(tool) ? "the server lists it twice" : null);
    seen.add(tool);
    if (problem !== null) {
      leave(problem);
      continue;
    }
    const listed = listedTool(server, parsed.data, byName);
    const size = listed.description.length + JSON.stringify(listed.inputSchema).length;
    if (byName.size >= MAX_TOOLS) leave(`the server has more than ${MAX_TOOLS} tools`);
    else if (chars + size > MAX_CATALOGUE_CHARS) leave("the server's tools together are too large");
    else if (byName.has(listed.name)) leave("its name clashes with another tool's");
    else {
      byName.set(listed.name, listed);
      chars += size;
    }
  }
  const tools = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { tools, leftOut, unmet: unmetNames(settings, [...seen]) };
}

type Definition = z.infer<typeof listedSchema>;

function problemOf(settings: McpServer, { name, inputSchema }: Definition): string | null {
  const unwanted = leftOutBy(settings, name);
  if (unwanted !== null) return unwanted;
  const problem = schemaProblem(inputSchema);
  return problem === null ? null : `its input schema ${problem}`;
}

function listedTool(server: string, definition: Definition, taken: ReadonlyMap<string, ListedTool>): ListedTool {
  const { name: tool, description, inputSchema, annotations } = definition;
  const name = qualifiedName(server, tool);
  return {
    name: taken.has(name) ? hashedName(server, tool) : name,
    tool,
    description: foreignText(description ?? "", MAX_DESCRIPTION).trim() || `${foreignLine(tool, MAX_SHOWN_NAME)}.`,
    inputSchema: cleanSchema(inputSchema),
    readOnlyHint: annotations?.readOnlyHint === true,
  };
}

function shownName(item: unknown): string {
  const named = z.object({ name: z.string() }).safeParse(item);
  return named.success ? named.data.name : "(no name)";
}
