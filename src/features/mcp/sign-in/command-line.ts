import type { StoreWorld, SubcommandWorld } from "../../../cli/subcommand.ts";
import { suggestion } from "../../../config/problems.ts";
import { isObject } from "../../../core/text/from-json.ts";
import { utcDay } from "../../../core/text/utc.ts";
import { createSystemResolve } from "../../../tools/network/resolve.ts";
import { readSealingKey, sealingKey } from "../../../tools/secrets/sealing-key.ts";
import { mcpSettings } from "../feature.ts";
import type { McpServer } from "../server-settings.ts";
import type { McpConfig } from "../settings/read-servers.ts";
import { serverKey } from "../settings/server-key.ts";
import { signInCommand } from "./access.ts";
import { hasOwnCredential } from "./authorized-fetch.ts";
import { discover } from "./discovery.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import { signInFromTerminal } from "./in-terminal.ts";
import { forgetSignIn, keepSignIn } from "./keep.ts";
import { SignInProblem } from "./problems.ts";
import { SIGN_INS_CHANGED } from "./sign-ins.ts";
import { openRow, readRows, type SignedServer, type Vault } from "./signed-in.ts";
import type { SignInRow } from "./store.ts";

/** A request to `deckhand mcp`. `name` is a server's name as people write it. */
export type McpRequest = { readonly type: "sign-in" | "sign-out"; readonly name: string } | { readonly type: "list" };

/** Who signed in, as the list names the person at the terminal. */
const BY = "command line";

type World = Pick<SubcommandWorld, "terminal" | "typedLines"> & StoreWorld & { readonly vault: Vault };

export function runMcp(request: McpRequest, { config, answer, ...terminal }: SubcommandWorld): Promise<void> {
  const { environment, file } = config.origin.layers;
  const { mcp } = mcpSettings({ file: isObject(file.value) ? file.value : {}, environment: environment.value });
  const given = readSealingKey(environment.value["DECKHAND_SECRET_KEY"] ?? "");
  return terminal.onStore(async (store) => {
    const world = { ...store, ...terminal, vault: { ...store, given } };
    try {
      answer({ ok: true, lines: await carryOut(request, mcp, world) });
    } catch (error) {
      if (!(error instanceof SignInProblem)) throw error;
      answer({ ok: false, lines: [`✗ ${error.text}`] });
    }
  });
}

async function carryOut(request: McpRequest, mcp: McpConfig, world: World): Promise<readonly string[]> {
  switch (request.type) {
    case "sign-in":
      return signIn(serverNamed(request.name, mcp), world);
    case "sign-out":
      return signOut(request.name, mcp, world);
    default:
      return list(mcp, world);
  }
}

async function signIn(at: SignedServer, world: World): Promise<readonly string[]> {
  const { terminal, typedLines, vault, runtime, proxyFor } = world;
  const { settings } = at;
  const title = settings.title ?? at.server;
  const signal = new AbortController().signal;
  const reach = { resolve: createSystemResolve(), proxyFor };
  // Before a person signs in for nothing.
  const sealing = await sealingKey(vault, true);
  if ("problem" in sealing) throw new SignInProblem(sealing.problem);
  const guarded = createGuardedFetch(settings, reach, signal);
  const found = await discover(settings, { title, guarded }, signal);
  const say = (line: string) => terminal.out(line);
  const { clock } = runtime;
  const signedIn = await signInFromTerminal(found, { title, settings, guarded, clock, say, lines: typedLines });
  const notes = await keepSignIn(signedIn, at, { ...world, by: BY, now: clock.now(), guarded });
  await tellPrograms(world);
  return [
    `✓ Deckhand is signed in to ${title}. A running bot connects by itself; \`deckhand doctor\` tries the server.`,
    ...notes.map((note) => `⚠ ${note}`),
  ];
}

async function signOut(name: string, mcp: McpConfig, world: World): Promise<readonly string[]> {
  const { vault, proxyFor } = world;
  const server = serverKey(name);
  const settings = mcp.servers[server];
  const at = settings !== undefined && "url" in settings ? settings : null;
  const reach = { resolve: createSystemResolve(), proxyFor };
  const guarded = at === null ? null : createGuardedFetch(at, reach, new AbortController().signal);
  const forgotten = await forgetSignIn({ server, ...(at === null ? {} : { settings: at }) }, { vault, guarded });
  if (forgotten === null)
    throw new SignInProblem(`Nobody has signed in to ${name}. \`deckhand mcp list\` shows the existing sign-ins.`);
  await world.audit({ act: "mcp.signed_out", about: name });
  await tellPrograms(world);
  const said = `✓ Deckhand is signed out of ${name}`;
  if (forgotten.isRevoked) return [`${said}, and the service has revoked the sign-in.`];
  return [
    `${said}.`,
    "⚠ The service did not revoke the sign-in: remove Deckhand from the account's connected apps there.",
  ];
}

async function list({ servers, idle }: McpConfig, { vault }: World): Promise<readonly string[]> {
  const rows = await readRows(vault);
  const lines = Object.entries(servers).map(async ([server, settings]) => {
    const row = rows.find((each) => each.server === server);
    return `${settings.title ?? server} · ${await stateOf(settings, row, { server, vault })}`;
  });
  const named = [...Object.keys(servers), ...idle.map(({ name }) => serverKey(name))];
  const left = rows.filter(({ server }) => !named.includes(server));
  const signedIn = (name: string) => rows.some(({ server }) => server === serverKey(name));
  const all = [
    ...(await Promise.all(lines)),
    ...idle.map(({ name, why }) => `${name} · ${why}${signedIn(name) ? " Its sign-in is kept." : ""}`),
    ...left.map(
      ({ server }) => `${server} · signed in, but no longer in the settings: \`deckhand mcp sign-out ${server}\``,
    ),
  ];
  return all.length === 0 ? ["There are no MCP servers. Add them to the settings file (`mcpServers`)."] : all;
}

async function stateOf(
  settings: McpServer,
  row: SignInRow | undefined,
  { server, vault }: { readonly server: string; readonly vault: Vault },
): Promise<string> {
  if ("command" in settings) return "a program, which needs no sign-in";
  if (hasOwnCredential(settings)) return "has a token in its `headers`";
  const kept = await openRow(row, { server, settings }, vault);
  const again = `\`${signInCommand(settings.title ?? server)}\``;
  switch (kept.type) {
    case "none":
      return "no sign-in";
    case "elsewhere":
      return `its address has changed since the sign-in: ${again}`;
    case "refused":
      return `its sign-in has ended: ${again}`;
    case "locked":
      return `its sign-in cannot be read. ${kept.why} To sign in again: ${again}`;
    default:
      return `signed in by ${kept.row.by} ${utcDay(kept.row.at)}${kept.row.renewedAt > kept.row.at ? `, renewed ${utcDay(kept.row.renewedAt)}` : ""}`;
  }
}

/** The server of that name, if people can sign in to it. Throws SignInProblem. */
function serverNamed(name: string, { servers, idle }: McpConfig): SignedServer {
  const [server, settings] = Object.entries(servers).find(([key, { title }]) => name === (title ?? key)) ?? [];
  if (server === undefined || settings === undefined) {
    const why = idle.find((each) => each.name === name)?.why;
    const names = Object.entries(servers).map(([key, { title }]) => title ?? key);
    throw new SignInProblem(
      why === undefined
        ? `There is no MCP server ${name} in the settings.${suggestion(name, names)}`
        : `${name}: ${why}`,
    );
  }
  if ("command" in settings) throw new SignInProblem(`${name} is a program on this machine, which needs no sign-in.`);
  if (hasOwnCredential(settings)) {
    throw new SignInProblem(`${name} has a token in its \`headers\`, which takes precedence. Remove it there first.`);
  }
  return { server, settings };
}

async function tellPrograms({ home, notify }: World): Promise<void> {
  await SIGN_INS_CHANGED.send(home);
  await notify("servers");
}
