import type { DrainRequest } from "../cli/drain.ts";
import { commandErrorLines } from "../cli/startup-error.ts";
import type { Terminal } from "../cli/terminal.ts";
import type { Config } from "../config.ts";
import type { ClusterMember } from "../core/cluster.ts";
import { ConfigError } from "../core/protocol/errors.ts";
import type { Clock } from "../core/protocol/runtime.ts";
import { type ClusterConnection, openClusterConnection } from "../core/store/cluster/cluster-connection.ts";
import { drainMember, findMembers, readMembers } from "../core/store/cluster/members.ts";

interface World {
  readonly terminal: Terminal;
  readonly clock: Clock;
}

/** Interval of checking whether the process has ended. In milliseconds. */
const LOOK_EVERY_MS = 500;

/** Maximum time to wait for a process to hand over its work. In milliseconds. */
const LONGEST_MS = 120_000;

/** Carries out `deckhand drain`, from any machine that can reach the database. */
export async function runDrain(
  { database, engine }: Config,
  { process: named }: DrainRequest,
  world: World,
): Promise<void> {
  const { terminal } = world;
  try {
    if (engine !== "dbos")
      throw new ConfigError([
        "DECKHAND_ENGINE is not dbos, so a single process runs everything. Stop that process instead.",
      ]);
    const connection = await openClusterConnection(database.directUrl);
    try {
      await drain(connection, named, world);
    } finally {
      await connection.close();
    }
  } catch (error) {
    for (const line of commandErrorLines(error)) terminal.error(line);
    terminal.fail();
  }
}

async function drain(connection: ClusterConnection, named: string | null, { terminal, clock }: World): Promise<void> {
  const members = await findMembers(connection);
  if (named === null) {
    for (const line of members.map(lineOf)) terminal.out(line);
    if (members.length === 0) terminal.out("No process is running on this database.");
    return;
  }
  const found = members.filter(({ id, host, pid }) => [id, host, `${host}:${pid}`].includes(named));
  const [one, another] = found;
  if (one === undefined || another !== undefined) {
    terminal.error(
      one === undefined ? `✗ There is no process ${named}.` : `✗ Several processes are running on ${named}.`,
    );
    for (const line of members.map(lineOf)) terminal.error(line);
    return terminal.fail();
  }
  if ((await drainMember(connection, one.id)) === "last") {
    terminal.error("✗ It is the only process that accepts sessions. Start another one first, or stop this one.");
    return terminal.fail();
  }
  terminal.out(`⏳ ${nameOf(one)} is handing over ${one.running} runs.`);
  for (const until = clock.now() + LONGEST_MS; clock.now() < until; ) {
    await clock.sleep(LOOK_EVERY_MS, AbortSignal.any([]));
    if ((await readMembers(connection)).every(({ id }) => id !== one.id)) return terminal.out("✓ It has exited.");
  }
  terminal.error("✗ It is still running. When it is stopped, the others take over what it has not handed over.");
  terminal.fail();
}

function nameOf({ host, pid }: ClusterMember): string {
  return `${host}:${pid}`;
}

function lineOf(member: ClusterMember): string {
  const { version, running, waiting, draining, roles } = member;
  const state = draining ? "handing over" : `${running} running, ${waiting} waiting`;
  return `  ${nameOf(member)} · version ${version} · ${state}${roles.length === 0 ? "" : ` · ${roles.join(", ")}`}`;
}
