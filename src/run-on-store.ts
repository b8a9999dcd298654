import path from "node:path";
import { type PageAgents, readPageAgents } from "./agents.ts";
import { agentProblems, sandboxRootOf } from "./channel-config.ts";
import type { DataRequest } from "./cli/data.ts";
import { checkKey } from "./cli/doctor/check-keys.ts";
import type { StoredSettings } from "./cli/doctor/doctor.ts";
import type { KeysRequest } from "./cli/keys.ts";
import type { MemoryRequest } from "./cli/memory.ts";
import { type Input, newKey, newPassword } from "./cli/new-password.ts";
import type { SettingsRequest } from "./cli/settings.ts";
import { commandErrorLines } from "./cli/startup-error.ts";
import type { Terminal } from "./cli/terminal.ts";
import type { UserRequest } from "./cli/user.ts";
import { secretsOf } from "./config/describe.ts";
import { leftOutLine } from "./config/stored/fit.ts";
import { SETTINGS_REVISION, SettingsInForce } from "./config/stored/in-force.ts";
import type { Config } from "./config.ts";
import { textsIn } from "./core/agents/page-definitions.ts";
import { createBackgroundEmbedders } from "./core/budget/background-embedder.ts";
import { assertNever } from "./core/protocol/assert-never.ts";
import { toAppError } from "./core/protocol/errors.ts";
import { reasonOf } from "./core/protocol/explain.ts";
import type { ThreadRef } from "./core/protocol/platform.ts";
import type { Runtime } from "./core/protocol/runtime.ts";
import { systemCode } from "./core/protocol/system-code.ts";
import { embeddersOf } from "./core/providers/registry/embedder.ts";
import { type LiveProviders, liveProviders } from "./core/providers/registry/live-providers.ts";
import { probeDatabase } from "./core/store/probe.ts";
import { openStore, type Store } from "./core/store/store.ts";
import { secretMasking } from "./core/text/secret-masking.ts";
import type { Act, WriteAudit } from "./feature.ts";
import { accountName } from "./features/accounts/account.ts";
import { changeAccounts } from "./features/accounts/command-line.ts";
import { createAudit } from "./features/audit/audit.ts";
import { settingLines } from "./features/configuration/command-line.ts";
import { shownSettings } from "./features/configuration/shown.ts";
import {
  exportAll,
  importFile,
  type LineWorld,
  makeVectors,
  searchBatch,
  searchOne,
  tellStats,
} from "./features/memory/command-line.ts";
import { embeddingsIn } from "./features/memory/feature.ts";
import { indexMissing } from "./features/memory/search/reindex.ts";
import { changeKeys } from "./features/providers/command-line.ts";
import { givenSealingKey } from "./features/providers/feature.ts";
import { tellOfKeys } from "./features/providers/keyring.ts";
import { nameOf, openKeys } from "./features/providers/stored-keys.ts";
import { deleteData } from "./features/retention/command-line.ts";
import { snapshotsOf, sqliteFileOf } from "./home.ts";
import { createLogger } from "./operations/logging.ts";
import { tellProcesses } from "./ownership/tell-processes.ts";
import { describePlatform } from "./platforms.ts";
import { systemRuntime } from "./runtime.ts";

export interface UserEnds {
  readonly terminal: Terminal;
  readonly stdin: Input;
}

/** `deckhand memory`: works on the database itself, beside a running program or without one. */
export async function runMemory(given: Config, request: MemoryRequest, terminal: Terminal): Promise<void> {
  const linesOf = (error: unknown) => unreadable(error, request) ?? commandErrorLines(error);
  await onStore(given, { terminal, linesOf }, async (store, runtime) => {
    const { config } = await settingsOf(given, store);
    // What a former version has written is found here too.
    if (request.type !== "import") await indexMissing(store, AbortSignal.any([]));
    const database = databaseOf(config.database.url);
    const world = { store, runtime, database, out: (line: string) => terminal.out(line) } as const;
    const { live } = await storedKeys(config, { store, runtime });
    const meaning = await meaningFor({ ...config, providers: live.settings }, world, terminal);
    if ((await carryOut(request, { ...world, meaning })) === false) terminal.fail();
    await meaning?.settle();
  });
}

/** `deckhand user`: as above. */
export async function runUser(config: Config, request: UserRequest, { terminal, stdin }: UserEnds): Promise<void> {
  const linesOf = commandErrorLines;
  await onStore(config, { terminal, linesOf }, async (store, runtime) => {
    const { clock } = runtime;
    const password = () => newPassword(stdin, "passwordStdin" in request && request.passwordStdin);
    const { ok, lines } = await changeAccounts(request, { store, clock, password });
    for (const line of lines) {
      if (ok) terminal.out(line);
      else terminal.error(line);
    }
    if (!ok) terminal.fail();
    if (!ok || request.type === "list") return;
    await tellProcesses(config, "logins");
    const details = "role" in request ? request.role : "";
    const entry = { by: BY, act: ACTS[request.type], about: accountName(request.name), details };
    await auditFor({ store, runtime }, terminal)(entry);
  });
}

/** `deckhand keys`: as above. */
export async function runKeys(config: Config, request: KeysRequest, { terminal, stdin }: UserEnds): Promise<void> {
  const linesOf = commandErrorLines;
  await onStore(config, { terminal, linesOf }, async (store, runtime) => {
    const { live, world } = await storedKeys(config, { store, runtime });
    const { ok, hasChanged, lines } = await changeKeys(request, {
      ...world,
      environment: config.origin.layers.environment.value,
      providers: live.shown,
      fileName: config.configFile === null ? "deckhand.config.json" : path.basename(config.configFile),
      key: () => newKey(stdin),
      tryKey: (provider) => checkKey(provider, live.settings, live.shown()[provider]?.key === "given"),
    });
    for (const line of lines) {
      if (ok) terminal.out(line);
      else terminal.error(line);
    }
    if (!ok) terminal.fail();
    if (!hasChanged || request.type === "list") return;
    const act = request.type === "set" ? "provider.key_set" : "provider.key_removed";
    await auditFor({ store, runtime }, terminal)({ by: BY, act, about: nameOf(request.provider) });
    await tellOfKeys(config.home);
    await tellProcesses(config, "keys");
  });
}

/** Providers with the keys that are stored beside those of the environment and the settings file. */
async function storedKeys(
  { home, providers, providerRegions, origin }: Config,
  { store, runtime }: { readonly store: Store; readonly runtime: Runtime },
) {
  const given = givenSealingKey(origin.layers.environment.value);
  const world = { store, clock: runtime.clock, home, given };
  const { keys, problem } = await openKeys(world);
  const live: LiveProviders = liveProviders(providers, providerRegions);
  live.setKeys(keys);
  return { live, problem, world };
}

/** For doctor, who changes nothing: the settings with what the page has set and the stored keys. */
export async function withStored(config: Config): Promise<StoredSettings> {
  const { isCurrent } = await probeDatabase(config.database.url).catch(() => ({ isCurrent: false }));
  if (!isCurrent) return { config, pageAgents: { texts: new Map() }, pageSkills: new Map(), problems: [] };
  const runtime = systemRuntime();
  await using parts = new AsyncDisposableStack();
  const store = await openStore(config.database.url, runtime);
  parts.defer(() => store.close());
  const { settings, pageAgents } = await settingsOf(config, store);
  const pageSkills = textsIn(await store.revisions.newestOf("skill"));
  const { live, problem } = await storedKeys(settings.config, { store, runtime });
  const problems = [...settings.leftOut.map(leftOutLine), ...(problem === null ? [] : [problem])];
  return { config: { ...settings.config, providers: live.settings }, pageAgents, pageSkills, problems };
}

/** The settings with what the page has set, as a start would have them. */
async function settingsOf(given: Config, store: Store) {
  const pageAgents: PageAgents = { texts: new Map() };
  await readPageAgents(store, pageAgents);
  const settings = new SettingsInForce(given, (config) => agentProblems(config, pageAgents));
  settings.begin(await store.revisions.newest(SETTINGS_REVISION));
  return { settings, config: settings.config, pageAgents };
}

/** `deckhand settings`: lists them, and makes no database where there is none. */
export async function runSettings(config: Config, request: SettingsRequest, terminal: Terminal): Promise<void> {
  const { hideIn } = secretMasking(secretsOf(config));
  const tell = (settings: SettingsInForce): void => {
    for (const each of settings.leftOut) terminal.error(`⚠ ${leftOutLine(each)}`);
    for (const line of settingLines(hideIn(shownSettings(settings)), request)) terminal.out(line);
  };
  const linesOf = commandErrorLines;
  const probed = await probeDatabase(config.database.url).catch((error: unknown) => linesOf(error));
  if ("isCurrent" in probed && !probed.isCurrent) return tell(new SettingsInForce(config, agentProblems));
  await onStore(config, { terminal, linesOf }, async (store) => tell((await settingsOf(config, store)).settings));
}

/** `deckhand data`: as above. */
export async function runData(given: Config, request: DataRequest, terminal: Terminal): Promise<void> {
  const linesOf = commandErrorLines;
  if (request.type === "copy") return runCopy(given, request, { terminal, linesOf });
  await onStore(given, { terminal, linesOf }, async (store, runtime) => {
    const { config } = await settingsOf(given, store);
    const world = {
      store,
      runtime,
      database: databaseOf(config.database.url),
      describe: describePlatform,
      home: config.home,
      snapshots: snapshotsOf(config),
      sandboxRootOf: (thread: ThreadRef) => sandboxRootOf(config, thread),
      log: createLogger("silent", []),
    };
    const { ok, line, about } = await deleteData(request, world);
    if (!ok) {
      terminal.error(line);
      return terminal.fail();
    }
    terminal.out(line);
    await auditFor({ store, runtime }, terminal)({ by: BY, act: `${request.type}.deleted`, about });
  });
}

async function runCopy(config: Config, { from }: { readonly from: string | null }, told: Told): Promise<void> {
  const { terminal, linesOf } = told;
  const { copiedLines, copyDatabase } = await import("./moving/copy-database.ts");
  const file = from === null ? sqliteFileOf(config) : path.resolve(from);
  try {
    const copied = await copyDatabase({ config, file, runtime: systemRuntime(), say: (line) => terminal.out(line) });
    for (const line of copiedLines(copied, { ...config, file })) terminal.out(line);
    const details = `${copied.rows} rows`;
    await onStore(config, told, (store, runtime) =>
      auditFor({ store, runtime }, terminal)({ by: BY, act: "database.copied", about: file, details }),
    );
  } catch (error) {
    for (const line of linesOf(error)) terminal.error(line);
    terminal.fail();
  }
}

const BY = "command line";

function auditFor(world: Pick<Parameters<typeof createAudit>[0], "store" | "runtime">, terminal: Terminal): WriteAudit {
  const log = { error: () => terminal.error("⚠ It is not in the audit log: that could not be written.") };
  return createAudit({ ...world, log });
}

/** How the audit log calls what is asked for. */
const ACTS: Readonly<Record<Exclude<UserRequest["type"], "list">, Act>> = {
  add: "account.added",
  role: "account.role",
  passwd: "account.password",
  logout: "account.signed_out",
  remove: "account.removed",
};

function databaseOf(url: string): LineWorld["database"] {
  return url.startsWith("file:") ? "sqlite" : "postgresql";
}

interface Told {
  readonly terminal: Terminal;
  readonly linesOf: (error: unknown) => readonly string[];
}

async function onStore(
  config: Config,
  { terminal, linesOf }: Told,
  work: (store: Store, runtime: Runtime) => Promise<void>,
): Promise<void> {
  const runtime = systemRuntime();
  try {
    await using parts = new AsyncDisposableStack();
    const store = await openStore(config.database.url, runtime);
    parts.defer(() => store.close());
    await work(store, runtime);
  } catch (error) {
    for (const line of linesOf(error)) terminal.error(line);
    terminal.fail();
  }
}

/** False where nothing came of it. */
async function carryOut(request: MemoryRequest, world: LineWorld): Promise<boolean | void> {
  switch (request.type) {
    case "import": {
      const isGood = await importFile(request.file, world);
      await makeVectors(world);
      return isGood;
    }
    case "export":
      return exportAll(request.scope, world);
    case "stats":
      return tellStats(world);
    case "batch":
      return searchBatch(request, world);
    case "search":
      return searchOne(request, world);
    default:
      return assertNever(request);
  }
}

/** Nobody waits for an answer here as a run does. Milliseconds. */
const QUERY_MS = 30_000;

/** Null where no embeddings are set, or the provider lacks what it needs, which is said. */
async function meaningFor(
  config: Config,
  world: Pick<LineWorld, "store" | "runtime" | "database">,
  terminal: Terminal,
): Promise<LineWorld["meaning"]> {
  const embeddings = embeddingsIn(config.features);
  if (embeddings === null) return null;
  try {
    const { createMeaning } = await import("./features/memory/meaning/meaning.ts");
    const counted = { ...world, settings: config.budgets };
    const createEmbedder = createBackgroundEmbedders(embeddersOf(config.providers, world.runtime), counted);
    const embedder = await createEmbedder(embeddings.model, "memory-import");
    const warn = () => terminal.error("⚠ The model of memory.embeddings does not answer: only words are looked for.");
    const log = { info: () => undefined, warn };
    return createMeaning({ ...world, log, embedder, perDay: embeddings.perDay }, QUERY_MS);
  } catch (error) {
    terminal.error(`⚠ memory.embeddings: ${reasonOf(toAppError(error))}`);
    return null;
  }
}

/** Null where it is no file that could not be read. */
function unreadable(error: unknown, request: MemoryRequest): readonly string[] | null {
  const isFile = "file" in request && /^(?:ENOENT|EACCES|EISDIR)$/u.test(systemCode(error) ?? "");
  return isFile ? [`✗ ${request.file} cannot be read (${systemCode(error)}).`] : null;
}
