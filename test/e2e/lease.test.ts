import { expect, test } from "vitest";
import { createBot, until } from "../support/bot.ts";
import { startPostgres } from "../support/postgres.ts";

const databases = [
  { name: "SQLite", open: () => Promise.resolve({ env: {}, stop: () => Promise.resolve() }) },
  {
    name: "PostgreSQL",
    open: async () => {
      const postgres = await startPostgres();
      return { env: { DATABASE_URL: await postgres.createDatabase() }, stop: () => postgres.stop() };
    },
  },
];

test.each(databases)(
  "a second process on one $name stands by, and takes over when the first dies",
  async ({ open }) => {
    const { env, stop } = await open();
    await using first = await createBot({ env });
    await using second = await createBot({ env, home: first.home });
    await first.start();
    second.launch();
    await until(async () => (await ready(second))?.state === "standing by", wait("the stand-by"));
    expect((await second.probe("readyz")).status).toBe(503);
    expect((await second.probe("healthz")).status).toBe(200);
    expect(second.output()).toContain("Standing by");

    await first.kill("SIGKILL");
    await until(async () => (await ready(second))?.state === "running", wait("the takeover"));
    expect((await second.probe("readyz")).status).toBe(200);
    expect(await second.kill("SIGTERM")).toBe(0);
    await stop();
  },
);

async function ready(bot: Awaited<ReturnType<typeof createBot>>): Promise<{ state?: string } | null> {
  try {
    const body: { state?: string } = JSON.parse((await bot.probe("readyz")).text);
    return body;
  } catch {
    return null; // not listening yet
  }
}

function wait(what: string) {
  return { limit: AbortSignal.timeout(20_000), what: () => what };
}
