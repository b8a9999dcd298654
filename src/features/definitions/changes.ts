import { z } from "zod";
import { channelKeySchema } from "../../config/platform-ids.ts";
import { agentNameSchema } from "../../config/settings.ts";
import type { DefinitionCheck } from "../../core/agents/page-definitions.ts";
import { skillName } from "../../core/skills/skills.ts";
import type { Act, FeatureAnswer } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { type ChangeResult, KINDS, type Kind, type StoredDefinitions } from "./stored-definitions.ts";

type Host = Pick<FeatureHost, "definitions" | "audit">;
type World = Host & { readonly kept: StoredDefinitions };

/** Maximum lengths of a name and of a text, in characters. */
const MAX_NAME = 64;
const MAX_TEXT = 262_144;

const named = { kind: z.enum(KINDS), name: z.string().max(200) };
const textSchema = z.string().max(MAX_TEXT);
const after = z.int().nonnegative();
export const checkSchema = z.object({ ...named, text: textSchema });
export const saveSchema = z.object({ ...named, text: textSchema, after, isNew: z.boolean().default(false) });
export const takeBackSchema = z.object({ ...named, after });

/** The outcome of a change, including what is wrong with it. */
type Outcome =
  | ChangeResult
  | { readonly type: "refused"; readonly why: string }
  | ({ readonly type: "invalid" } & DefinitionCheck);

const ACTS: Readonly<Record<Kind, Act>> = {
  agent: "agent.changed",
  skill: "skill.changed",
  instructions: "instructions.changed",
};

/** Saves a text, unless it is invalid or somebody else has saved a newer one. */
export async function save(
  { isNew, text, ...asked }: z.infer<typeof saveSchema>,
  by: string,
  world: World,
): Promise<FeatureAnswer> {
  const { kind, name } = asked;
  const why =
    problemWithName(kind, name) ?? whyLocked(kind, name, world) ?? (isNew ? whyTaken(kind, name, world) : null);
  if (why !== null) return outcome({ type: "refused", why });
  const checked = check(kind, { name, text }, world);
  if (checked.problems.length > 0) return outcome({ type: "invalid", ...checked });
  return change({ ...asked, content: text, by }, world);
}

/** Takes back what the page has set, so that the shipped definition applies again, if there is one. */
export async function takeBack(
  asked: z.infer<typeof takeBackSchema>,
  by: string,
  world: World,
): Promise<FeatureAnswer> {
  const { kind, name } = asked;
  if (!world.kept.names(kind).includes(name))
    return outcome({ type: "refused", why: "Nothing is set on the page here." });
  const why = kind === "agent" ? whyNeeded(name, world) : null;
  if (why !== null) return outcome({ type: "refused", why });
  return change({ ...asked, content: null, by }, world);
}

async function change(
  asked: Parameters<StoredDefinitions["change"]>[0],
  { kept, audit }: World,
): Promise<FeatureAnswer> {
  const changed = await kept.change(asked);
  if (changed.type === "saved") {
    const details = asked.content === null ? `revision ${changed.number}: removed` : `revision ${changed.number}`;
    const about = asked.name === "" ? "all channels" : asked.name;
    await audit({ by: asked.by, act: ACTS[asked.kind], about, details });
  }
  return outcome(changed);
}

function outcome(body: Outcome): FeatureAnswer {
  return { status: 200, body };
}

export function check(
  kind: Kind,
  { name, text }: { readonly name: string; readonly text: string },
  { definitions }: Pick<Host, "definitions">,
): DefinitionCheck {
  const line = text.split("\n").findIndex((each) => !isText(each)) + 1;
  if (line > 0) return { problems: [{ line, message: "It contains a character that is not text." }], notes: [] };
  const set = { agent: definitions.agents, skill: definitions.skills, instructions: definitions.instructions };
  return set[kind].check(name, text);
}

/** Whether both databases can store the text unchanged. */
function isText(words: string): boolean {
  return !words.includes("\0") && words.isWellFormed();
}

/** Why a definition of this kind cannot have this name; null if it can. */
export function problemWithName(kind: Kind, name: string): string | null {
  if (kind === "instructions") {
    if (name === "") return null;
    if (!isText(name)) return "This is not a channel ID.";
    const key = channelKeySchema.safeParse(name);
    return key.success ? null : sentence(key.error.issues[0]?.message ?? "");
  }
  if (name.length > MAX_NAME) return `A name has at most ${MAX_NAME} characters.`;
  if (kind === "agent") return agentNameSchema.safeParse(name).success ? null : LETTERS;
  return name !== "" && skillName(name) === name ? null : LETTERS;
}

const LETTERS =
  "A name has lower-case letters from a to z, digits and single hyphens, and starts with a letter or digit.";

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

function definitionOf(kind: Kind, name: string, { definitions }: Pick<Host, "definitions">) {
  if (kind === "instructions") return undefined;
  const all = kind === "agent" ? definitions.agents.all() : definitions.skills.all();
  return all.find((definition) => definition.name === name);
}

function whyLocked(kind: Kind, name: string, world: Host): string | null {
  const own = definitionOf(kind, name, world)?.own ?? null;
  return own === null ? null : `It comes from ${own.place}, which takes precedence over the page. Edit it there.`;
}

function whyTaken(kind: Kind, name: string, world: Host): string | null {
  return definitionOf(kind, name, world) === undefined
    ? null
    : `There is ${kind === "agent" ? "an agent" : `a ${kind}`} with that name. Open that one to change it.`;
}

/** Why an agent cannot be removed: its channels could not answer anybody. Null if it can. */
function whyNeeded(name: string, { definitions }: Host): string | null {
  if (definitionOf("agent", name, { definitions })?.shipped !== null) return null;
  const channel = ["", ...definitions.configured()].find((key) => definitions.agentOf(key) === name);
  if (channel === undefined) return null;
  const where = channel === "" ? "all channels without an agent of their own" : channel;
  return `It is in use: the settings name it for ${where}. Change that first.`;
}
