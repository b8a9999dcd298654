import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { entryLink } from "../../../src/adapters/web/server/entry-links.ts";
import { startPostgres } from "../database/postgres.ts";
import { startAnthropicServer } from "../model/anthropic-server.ts";
import type { ModelServer } from "../model/model-server.ts";
import { type Bot, createBot } from "./bot.ts";

/** Two whole programs on one database and one home, over a local model. */
export interface Replicas extends AsyncDisposable {
  readonly one: Bot;
  readonly other: Bot;
  readonly model: ModelServer;
}

export interface ReplicasOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Contents of deckhand.config.json. */
  readonly settings?: object;
}

/** Starts both, and resolves when they are ready. */
export async function startReplicas({ env = {}, settings = {} }: ReplicasOptions = {}): Promise<Replicas> {
  const [postgres, model] = await Promise.all([startPostgres(), startAnthropicServer()]);
  const given = {
    DECKHAND_ENGINE: "dbos",
    DATABASE_URL: await postgres.createDatabase(),
    ANTHROPIC_API_KEY: "test-key",
    ANTHROPIC_BASE_URL: model.url,
    DECKHAND_MODEL: "anthropic/claude-sonnet-5-5",
    ...env,
  };
  const one = await createBot({ env: given });
  const other = await createBot({ env: given, home: one.home });
  writeFileSync(path.join(one.home, "deckhand.config.json"), JSON.stringify(settings));
  await Promise.all([one.start(), other.start()]);
  return {
    one,
    other,
    model,
    async [Symbol.asyncDispose]() {
      await Promise.all([one.kill("SIGKILL"), other.kill("SIGKILL")]);
      await one[Symbol.asyncDispose]();
      await Promise.all([model.close(), postgres.stop()]);
    },
  };
}

/** Address of a replica's page, valid for one entry, as printed by `deckhand web-link`. */
export function pageLink({ home, port }: Bot): string {
  const token = readFileSync(path.join(home, "data/web-token"), "utf8").trim();
  return `http://127.0.0.1:${port}/?token=${entryLink(token, Date.now())}`;
}
