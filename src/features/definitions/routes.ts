import { z } from "zod";
import { adminPostRoute, type FeatureAnswer, type FeatureRequest, type FeatureRoute, getRoute } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { check, checkSchema, problemWithName, save, saveSchema, takeBack, takeBackSchema } from "./changes.ts";
import { type Asker, channelsFor, configuredFor, mayEdit } from "./channels.ts";
import { KINDS, type Kind, type StoredDefinitions } from "./stored-definitions.ts";
import { fullDefinition, listedDefinition } from "./view.ts";

type Host = Pick<FeatureHost, "store" | "definitions" | "seenChannels" | "audit" | "hideIn">;
export type World = Host & { readonly kept: StoredDefinitions };

/** Revisions per page of the history. */
const PAGE = 20;

const definitionKind = z.enum(["agent", "skill"]);
const oneSchema = z.object({ kind: definitionKind, name: z.string().max(200) });
const historySchema = z.object({
  kind: z.enum(KINDS),
  name: z.string().max(200).default(""),
  before: z.coerce.number().int().positive().optional(),
});
const revisionSchema = z.object({
  kind: z.enum(KINDS),
  name: z.string().max(200).default(""),
  number: z.coerce.number().int().positive(),
});
const channelSchema = z.object({ channel: z.string().max(200).default("") });

const NOT_UNDERSTOOD: FeatureAnswer = { status: 400, body: { error: "That request is not valid. Reload the page." } };
const NONE: FeatureAnswer = { status: 404, body: { error: "There is none with that name." } };

/** Routes of agents, skills and instructions: anyone who may read the page sees them, admins change them. */
export function definitionRoutes(host: Host, kept: StoredDefinitions): readonly FeatureRoute[] {
  const world = { ...host, kept };
  return [
    reading("/list", z.object({ kind: definitionKind }), ({ kind }, asker) => list(kind, asker, world)),
    reading("/one", oneSchema, (asked, asker) => one(asked, asker, world)),
    reading("/channels", z.object({}), (_asked, asker) => channels(asker, world)),
    reading("/told", channelSchema, ({ channel }, asker) => effectiveInstructions(channel, asker, world)),
    reading("/history", historySchema, (asked, asker) => history(asked, asker, world)),
    reading("/revision", revisionSchema, (asked, asker) => revision(asked, asker, world)),
    writing("/check", checkSchema, async ({ kind, ...asked }) => {
      const why = problemWithName(kind, asked.name);
      // A new definition without a name is not checked, so that no errors appear before anything was written.
      const { problems, notes } = why === null ? check(kind, asked, world) : { problems: [], notes: [] };
      return { status: 200, body: { name: why, problems, notes, bytes: Buffer.byteLength(asked.text) } };
    }),
    writing("/save", saveSchema, (asked, { by }) => save(asked, by, world)),
    writing("/take-back", takeBackSchema, (asked, { by }) => takeBack(asked, by, world)),
  ];
}

type Answer<T> = (asked: T, request: FeatureRequest) => Promise<FeatureAnswer>;

function reading<T>(path: string, schema: z.ZodType<T>, answer: Answer<T>): FeatureRoute {
  return getRoute(path, async (request) => {
    const asked = schema.safeParse(Object.fromEntries(request.query));
    return asked.success ? answer(asked.data, request) : NOT_UNDERSTOOD;
  });
}

function writing<T>(path: string, schema: z.ZodType<T>, answer: Answer<T>): FeatureRoute {
  return adminPostRoute(path, async (request) => {
    const asked = schema.safeParse(request.body);
    return asked.success ? answer(asked.data, request) : NOT_UNDERSTOOD;
  });
}

/** Admins get the text unmasked, since a masked text would be saved back as it is. */
function answered(body: object, asker: Asker, { hideIn }: Host): FeatureAnswer {
  return { status: 200, body: mayEdit(asker) ? body : hideIn(body) };
}

async function list(kind: z.infer<typeof definitionKind>, asker: Asker, world: World): Promise<FeatureAnswer> {
  const { definitions, kept } = world;
  const set = kind === "agent" ? definitions.agents : definitions.skills;
  const rows = set.all().map((definition) => listedDefinition(definition, kept.newest(kind, definition.name)));
  const found = await Promise.all(
    (await configuredFor(asker, world)).map(async (channel) => {
      // Problems with a directory are reported where it is used.
      const instructions =
        kind === "skill" ? await definitions.instructionsIn(channel.key).catch(() => NOTHING) : NOTHING;
      return { ...channel, agent: definitions.agentOf(channel.key), skills: instructions.skills };
    }),
  );
  const body = { rows, problems: set.problems(), usual: definitions.agentOf(""), channels: found };
  return answered({ ...body, mayEdit: mayEdit(asker) }, asker, world);
}

async function one({ kind, name }: z.infer<typeof oneSchema>, asker: Asker, world: World): Promise<FeatureAnswer> {
  const { definitions, kept } = world;
  const set = kind === "agent" ? definitions.agents : definitions.skills;
  const found = set.all().find((definition) => definition.name === name);
  if (found === undefined) return NONE;
  const seen = kind === "agent" ? await configuredFor(asker, world) : [];
  const having = seen.filter(({ key }) => definitions.agentOf(key) === name);
  const usual = kind === "agent" && definitions.agentOf("") === name;
  const body = { ...fullDefinition(found, kept.newest(kind, name)), channels: having, isUsual: usual };
  return answered({ ...body, mayEdit: mayEdit(asker) }, asker, world);
}

async function channels(asker: Asker, world: World): Promise<FeatureAnswer> {
  const { definitions, kept } = world;
  const set = kept.names("instructions");
  const seen = await channelsFor(
    asker,
    set.filter((name) => name !== ""),
    world,
  );
  const rows = seen.map((channel) => ({
    ...channel,
    agent: definitions.agentOf(channel.key),
    isSet: set.includes(channel.key),
  }));
  return { status: 200, body: { rows, isSetForAll: set.includes(""), mayEdit: mayEdit(asker) } };
}

const NOTHING = { sandboxRoot: null, layers: [], waiting: [], skills: [] };

/** What agents are told in a channel, and which part the page has set. */
async function effectiveInstructions(channel: string, asker: Asker, world: World): Promise<FeatureAnswer> {
  const { definitions, kept } = world;
  if (!(await sees("instructions", channel, { asker, world }))) return NONE;
  const newest = kept.newest("instructions", channel);
  const own = { text: newest?.content ?? "", number: newest?.number ?? 0, isSet: newest?.content != null };
  const { sandboxRoot, layers, waiting } = channel === "" ? NOTHING : await definitions.instructionsIn(channel);
  const files = [
    ...layers.map(({ source, text }) => ({ source, text, isFollowed: true })),
    ...waiting.map(({ path, text }) => ({ source: path, text, isFollowed: false })),
  ].map((file) => ({ ...file, bytes: Buffer.byteLength(file.text) }));
  const body = { ...own, agent: definitions.agentOf(channel), sandboxRoot, files, mayEdit: mayEdit(asker) };
  return answered(body, asker, world);
}

/** Agents and skills are visible to everybody. Admins may also name a channel in which nobody has written yet. */
async function sees(kind: Kind, name: string, { asker, world }: { asker: Asker; world: World }): Promise<boolean> {
  if (problemWithName(kind, name) !== null) return false;
  if (kind !== "instructions" || name === "" || mayEdit(asker)) return true;
  const seen = await channelsFor(asker, world.kept.names("instructions"), world);
  return seen.some(({ key }) => key === name);
}

async function history(
  { kind, name, before }: z.infer<typeof historySchema>,
  asker: Asker,
  world: World,
): Promise<FeatureAnswer> {
  if (!(await sees(kind, name, { asker, world }))) return NONE;
  const from = before === undefined ? {} : { before };
  const found = await world.store.revisions.history({ kind, name }, { ...from, limit: PAGE + 1 });
  const rows = found
    .slice(0, PAGE)
    .map(({ number, by, at, content }) => ({ number, by, at, isTakenBack: content === null }));
  return { status: 200, body: { rows, next: found.length > PAGE ? `${rows.at(-1)?.number ?? ""}` : null } };
}

async function revision(
  { kind, name, number }: z.infer<typeof revisionSchema>,
  asker: Asker,
  world: World,
): Promise<FeatureAnswer> {
  if (!(await sees(kind, name, { asker, world }))) return NONE;
  const [found] = await world.store.revisions.history({ kind, name }, { before: number + 1, limit: 1 });
  if (found?.number !== number) return NONE;
  return answered({ text: found.content ?? "" }, asker, world);
}
