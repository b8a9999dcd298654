import { z } from "zod";
import { readContent } from "../../config/stored/apply-stored.ts";
import { SETTINGS_REVISION } from "../../config/stored/effective-settings.ts";
import type { Plain } from "../../config/stored/plain.ts";
import {
  adminPostRoute,
  type FeatureAnswer,
  type FeatureRequest,
  type FeatureRoute,
  getRoute,
  type OldSettings,
  type SavedSettings,
  type SettingChange,
  type SettingsRevision,
  type TeamSettings,
} from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { changesBetween, differencesOf, draftOf, problemOf } from "./drafts.ts";
import type { NewestSettings } from "./newest.ts";
import { placesOf, shownSettings } from "./shown.ts";

type Host = Pick<FeatureHost, "store" | "settings" | "runtime" | "audit" | "hideIn" | "cluster" | "otherSettings">;
/** `changed` tells other processes to read the settings again. */
type World = Host & { readonly newest: NewestSettings; readonly changed: () => void };
type Stored = NonNullable<Awaited<ReturnType<Host["store"]["revisions"]["newest"]>>>;

/** Revisions per page of the history. */
const PAGE = 50;

/** An object key; `__proto__` is refused because it would set the prototype. */
const part = z
  .string()
  .min(1)
  .max(200)
  .refine((name) => name !== "__proto__");
const changesSchema = z.array(z.object({ path: z.array(part).min(1).max(6), value: z.unknown().optional() })).max(500);
const checkSchema = z.object({ changes: changesSchema });
const saveSchema = z.object({ after: z.int().nonnegative(), changes: changesSchema.min(1) });
const number = z.coerce.number().int().positive();

const NOT_UNDERSTOOD = { status: 400, body: { error: "These changes are not valid. Reload the page." } };
const NOTHING = { status: 400, body: { error: "Nothing has changed, so there is nothing to save." } };
const TOO_MUCH = { status: 400, body: { error: "That is more than the page stores: at most 100,000 characters." } };
const NONE = { status: 404, body: { error: "This revision does not exist." } };

/** Routes of the operator's settings: anyone who may read the page sees them, admins change them. */
export function settingsRoutes(host: World): readonly FeatureRoute[] {
  const { settings, hideIn, cluster } = host;
  return [
    getRoute("/settings", async ({ role }) => {
      const newest = await host.newest.read();
      const body: TeamSettings = {
        number: newest?.number ?? 0,
        mayChange: role === "admin",
        settings: shownSettings(settings),
        leftOut: settings.skipped.map(problemOf),
        awaiting: settings.awaitingRestart(),
        elsewhere: host.otherSettings.lines(),
        fileName: settings.origin.layers.file.name,
      };
      return { status: 200, body: hideIn(body) };
    }),
    adminPostRoute("/check", async ({ body }) => {
      const asked = checkSchema.safeParse(body);
      if (!asked.success) return NOT_UNDERSTOOD;
      if (cluster.isShared) await host.newest.read();
      const draft = draftOf(changesOf(asked.data), settings);
      return draft === null ? TOO_MUCH : { status: 200, body: hideIn(draft.checked) };
    }),
    adminPostRoute("/save", (request) => save(request, host)),
    getRoute("/history", ({ query }) => history(query, host)),
    getRoute("/revision", ({ query }) => revision(query, host)),
  ];
}

/** Reads changes; one without a value unsets its setting. */
function changesOf({ changes }: { readonly changes: z.infer<typeof changesSchema> }): SettingChange[] {
  return changes.map(({ path, value }) => (value === undefined ? { path } : { path, value }));
}

async function save({ body, by }: FeatureRequest, host: World): Promise<FeatureAnswer> {
  const { store, settings, runtime, audit, hideIn } = host;
  const asked = saveSchema.safeParse(body);
  if (!asked.success) return NOT_UNDERSTOOD;
  const { after } = asked.data;
  const answer = (saved: SavedSettings): FeatureAnswer => ({ status: 200, body: hideIn(saved) });
  const newest = await host.newest.read();
  if ((newest?.number ?? 0) !== after) return answer(await conflictOf(newest, after, host));
  const draft = draftOf(changesOf(asked.data), settings);
  if (draft === null) return TOO_MUCH;
  const { set, checked } = draft;
  if (checked.problems.length > 0) return answer({ type: "refused", problems: checked.problems });
  if (checked.differences.length === 0) return NOTHING;
  const next = { ...SETTINGS_REVISION, content: JSON.stringify(set), by, at: runtime.clock.now() };
  const added = await store.transaction((tx) => tx.revisions.add(runtime.ids.next("rev"), after, next));
  if (added.type === "conflict") return answer(await conflictOf(added.newest, after, host));
  host.newest.take(added.revision);
  host.changed();
  const details = checked.differences.map(({ path }) => path.join(".")).join(", ");
  await audit({ by, act: "settings.changed", about: `revision ${added.revision.number}`, details });
  return answer({ type: "saved", number: added.revision.number });
}

async function conflictOf(newest: Stored | null, seen: number, { store }: Host): Promise<SavedSettings> {
  const was = seen === 0 ? null : await revisionAt(store, seen);
  const since = differencesOf(contentOf(was), contentOf(newest));
  const { by = "", at = 0, number: last = 0 } = newest ?? {};
  return { type: "conflict", newest: { number: last, by, at, changed: since.map(({ path }) => path) }, since };
}

async function history(query: URLSearchParams, { store, hideIn }: Host): Promise<FeatureAnswer> {
  const before = number.safeParse(query.get("before") ?? undefined).data;
  const found = await store.revisions.history(SETTINGS_REVISION, {
    ...(before === undefined ? {} : { before }),
    limit: PAGE + 1,
  });
  const shown = found.slice(0, PAGE);
  const rows: SettingsRevision[] = shown.map((row, index) => {
    const changed = differencesOf(contentOf(found[index + 1] ?? null), contentOf(row)).map(({ path }) => path);
    return { number: row.number, by: row.by, at: row.at, changed };
  });
  const next = found.length > PAGE ? String(shown.at(-1)?.number) : null;
  return { status: 200, body: hideIn({ rows, next }) };
}

async function revision(query: URLSearchParams, { store, settings, hideIn }: Host): Promise<FeatureAnswer> {
  const asked = number.safeParse(query.get("number") ?? undefined);
  const [row, before] = asked.success
    ? await store.revisions.history(SETTINGS_REVISION, { before: asked.data + 1, limit: 2 })
    : [];
  if (row === undefined || row.number !== asked.data) return NONE;
  const content = contentOf(row);
  const body: OldSettings = {
    number: row.number,
    by: row.by,
    at: row.at,
    differences: differencesOf(contentOf(before ?? null), content),
    restoring: changesBetween(settings.set, content, placesOf(settings)),
  };
  return { status: 200, body: hideIn(body) };
}

async function revisionAt(store: Host["store"], wanted: number): Promise<Stored | null> {
  const [row] = await store.revisions.history(SETTINGS_REVISION, { before: wanted + 1, limit: 1 });
  return row ?? null;
}

function contentOf(row: Pick<Stored, "content"> | null): Plain {
  return readContent(row?.content ?? null) ?? {};
}
