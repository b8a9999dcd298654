import { z } from "zod";
import type { FeatureAnswer, FeatureHost, FeatureRequest, FeatureRoute } from "../../feature.ts";
import { check, checkSchema, problemWithName, save, saveSchema, takeBack, takeBackSchema } from "./changes.ts";
import { channelsFor, configuredFor, mayEdit } from "./channels.ts";
import { type KeptDefinitions, KINDS, type Kind } from "./kept.ts";
import { listed, whole } from "./shown.ts";

type Host = Pick<FeatureHost, "store" | "definitions" | "canSeeChannel" | "audit" | "hideIn">;
export type World = Host & { readonly kept: KeptDefinitions };
type Viewer = FeatureRequest["viewer"];

/** Revisions of one page of the history. */
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

const NOT_UNDERSTOOD: FeatureAnswer = { status: 400, body: { error: "This was not understood. Reload the page." } };
const NONE: FeatureAnswer = { status: 404, body: { error: "There is none of that name." } };

/** Agents, skills and instructions: whoever reads the page reads them, admins change them. */
export function definitionRoutes(host: Host, kept: KeptDefinitions): readonly FeatureRoute[] {
  const world = { ...host, kept };
  return [
    reading("/list", z.object({ kind: definitionKind }), ({ kind }, viewer) => list(kind, viewer, world)),
    reading("/one", oneSchema, (asked, viewer) => one(asked, viewer, world)),
    reading("/channels", z.object({}), (_asked, viewer) => channels(viewer, world)),
    reading("/told", channelSchema, ({ channel }, viewer) => told(channel, viewer, world)),
    reading("/history", historySchema, (asked, viewer) => history(asked, viewer, world)),
    reading("/revision", revisionSchema, (asked, viewer) => revision(asked, viewer, world)),
    writing("/check", checkSchema, async ({ kind, ...asked }) => {
      const why = problemWithName(kind, asked.name);
      const { problems, notes } = check(kind, asked, world);
      return { status: 200, body: { name: why, problems, notes, bytes: Buffer.byteLength(asked.text) } };
    }),
    writing("/save", saveSchema, (asked, viewer) => save(asked, viewer, world)),
    writing("/take-back", takeBackSchema, (asked, viewer) => takeBack(asked, viewer, world)),
  ];
}

function reading<T>(
  path: string,
  schema: z.ZodType<T>,
  answer: (asked: T, viewer: Viewer) => Promise<FeatureAnswer>,
): FeatureRoute {
  const handle: FeatureRoute["handle"] = async ({ query, viewer }) => {
    const asked = schema.safeParse(Object.fromEntries(query));
    return asked.success ? answer(asked.data, viewer) : NOT_UNDERSTOOD;
  };
  return { method: "GET", path, handle };
}

function writing<T>(
  path: string,
  schema: z.ZodType<T>,
  answer: (asked: T, viewer: Viewer) => Promise<FeatureAnswer>,
): FeatureRoute {
  const handle: FeatureRoute["handle"] = async ({ body, viewer }) => {
    const asked = schema.safeParse(body);
    return asked.success ? answer(asked.data, viewer) : NOT_UNDERSTOOD;
  };
  return { method: "POST", path, role: "admin", handle };
}

/** Whoever may change a text reads it as it is: what is masked would be saved so. */
function answered(body: object, viewer: Viewer, { hideIn }: Host): FeatureAnswer {
  return { status: 200, body: mayEdit(viewer) ? body : hideIn(body) };
}

async function list(kind: z.infer<typeof definitionKind>, viewer: Viewer, world: World): Promise<FeatureAnswer> {
  const { definitions, kept } = world;
  const set = kind === "agent" ? definitions.agents : definitions.skills;
  const rows = set.all().map((definition) => listed(definition, kept.newest(kind, definition.name)));
  const found = await Promise.all(
    (await configuredFor(viewer, world)).map(async (channel) => {
      // What is wrong with a directory is said where it is used.
      const told = kind === "skill" ? await definitions.told(channel.key).catch(() => NOTHING) : NOTHING;
      return { ...channel, agent: definitions.agentOf(channel.key), skills: told.skills };
    }),
  );
  const body = { rows, problems: set.problems(), usual: definitions.agentOf(""), channels: found };
  return answered({ ...body, mayEdit: mayEdit(viewer) }, viewer, world);
}

async function one({ kind, name }: z.infer<typeof oneSchema>, viewer: Viewer, world: World): Promise<FeatureAnswer> {
  const { definitions, kept } = world;
  const set = kind === "agent" ? definitions.agents : definitions.skills;
  const found = set.all().find((definition) => definition.name === name);
  if (found === undefined) return NONE;
  const seen = kind === "agent" ? await configuredFor(viewer, world) : [];
  const having = seen.filter(({ key }) => definitions.agentOf(key) === name);
  const usual = kind === "agent" && definitions.agentOf("") === name;
  const body = { ...whole(found, kept.newest(kind, name)), channels: having, isUsual: usual };
  return answered({ ...body, mayEdit: mayEdit(viewer) }, viewer, world);
}

async function channels(viewer: Viewer, world: World): Promise<FeatureAnswer> {
  const { definitions, kept } = world;
  const set = kept.names("instructions");
  const seen = await channelsFor(
    viewer,
    set.filter((name) => name !== ""),
    world,
  );
  const rows = seen.map((channel) => ({
    ...channel,
    agent: definitions.agentOf(channel.key),
    isSet: set.includes(channel.key),
  }));
  return { status: 200, body: { rows, isSetForAll: set.includes(""), mayEdit: mayEdit(viewer) } };
}

const NOTHING = { sandboxRoot: null, layers: [], waiting: [], skills: [] };

/** What agents are told in a channel, and what of it the page has set. */
async function told(channel: string, viewer: Viewer, world: World): Promise<FeatureAnswer> {
  const { definitions, kept } = world;
  if (!(await sees("instructions", channel, { viewer, world }))) return NONE;
  const newest = kept.newest("instructions", channel);
  const own = { text: newest?.content ?? "", number: newest?.number ?? 0, isSet: newest?.content != null };
  const { sandboxRoot, layers, waiting } = channel === "" ? NOTHING : await definitions.told(channel);
  const files = [
    ...layers.map(({ source, text }) => ({ source, text, isFollowed: true })),
    ...waiting.map(({ path, text }) => ({ source: path, text, isFollowed: false })),
  ].map((file) => ({ ...file, bytes: Buffer.byteLength(file.text) }));
  const body = { ...own, agent: definitions.agentOf(channel), sandboxRoot, files, mayEdit: mayEdit(viewer) };
  return answered(body, viewer, world);
}

/** Agents and skills are everybody's. Admins may name a channel that nobody has written in yet. */
async function sees(kind: Kind, name: string, { viewer, world }: { viewer: Viewer; world: World }): Promise<boolean> {
  if (problemWithName(kind, name) !== null) return false;
  if (kind !== "instructions" || name === "" || mayEdit(viewer)) return true;
  const seen = await channelsFor(viewer, world.kept.names("instructions"), world);
  return seen.some(({ key }) => key === name);
}

async function history(
  { kind, name, before }: z.infer<typeof historySchema>,
  viewer: Viewer,
  world: World,
): Promise<FeatureAnswer> {
  if (!(await sees(kind, name, { viewer, world }))) return NONE;
  const from = before === undefined ? {} : { before };
  const found = await world.store.revisions.history({ kind, name }, { ...from, limit: PAGE + 1 });
  const rows = found
    .slice(0, PAGE)
    .map(({ number, by, at, content }) => ({ number, by, at, isTakenBack: content === null }));
  return { status: 200, body: { rows, next: found.length > PAGE ? `${rows.at(-1)?.number ?? ""}` : null } };
}

async function revision(
  { kind, name, number }: z.infer<typeof revisionSchema>,
  viewer: Viewer,
  world: World,
): Promise<FeatureAnswer> {
  if (!(await sees(kind, name, { viewer, world }))) return NONE;
  const [found] = await world.store.revisions.history({ kind, name }, { before: number + 1, limit: 1 });
  if (found?.number !== number) return NONE;
  return answered({ text: found.content ?? "" }, viewer, world);
}
