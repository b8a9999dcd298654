import { existsSync } from "node:fs";
import type { Config } from "../config.ts";
import { type ProbeResult, probeDatabase } from "../core/store/probe.ts";
import { figure } from "../core/text/dollars.ts";
import { sqliteFileOf } from "../home.ts";

/** Warns the operator if this PostgreSQL has no sessions, but the home's SQLite file has some. */
export async function unmigratedSqlite({
  home,
  database,
}: Pick<Config, "home" | "database">): Promise<readonly string[]> {
  const file = sqliteFileOf({ home });
  if (database.kind === "sqlite" || !existsSync(file)) return [];
  const there = await sessionsIn(`file:${file}`);
  if (there === 0 || (await sessionsIn(database.url)) !== 0) return [];
  const sessions = there === 1 ? "a session" : `${figure(there)} sessions`;
  return [
    `DATABASE_URL: this PostgreSQL database has no sessions, but ${file} has ${sessions}. To copy everything from it, stop Deckhand and run \`deckhand data copy\`; otherwise, move the file away.`,
  ];
}

/** Number of sessions; 0 if the database cannot be read, which a start reports by itself if it matters. */
async function sessionsIn(url: string): Promise<number> {
  const probed: Pick<ProbeResult, "sessions"> = await probeDatabase(url).catch(() => ({ sessions: 0 }));
  return probed.sessions;
}
