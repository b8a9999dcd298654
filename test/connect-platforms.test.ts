import { once } from "node:events";
import { createServer, type Server } from "node:net";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createDiscordPlatform } from "../src/adapters/discord/adapter.ts";
import { createSlackPlatform } from "../src/adapters/slack/adapter.ts";
import { connectPlatforms } from "../src/connect-platforms.ts";
import { MessageFinaliser } from "../src/core/people/message-finaliser.ts";
import type { ChatPlatform } from "../src/core/platform/chat-platform.ts";
import type { Clock } from "../src/core/protocol/runtime.ts";
import type { Store } from "../src/core/store/store.ts";
import { memoryPlatform } from "./adapters/render/memory-platform.ts";
import { openFileStore } from "./support/database/empty-database.ts";
import { ManualClock } from "./support/manual-clock.ts";
import { freePort } from "./support/program/free-port.ts";
import { silentLog } from "./support/silent-log.ts";
import { tempDirectory } from "./support/temp-directory.ts";

interface Away {
  readonly said: string[];
  /** Lets time pass until a matching line has been said. */
  readonly untilSaid: (line: RegExp) => Promise<void>;
  readonly clock: ManualClock;
  readonly store: Store;
}

/** Connects a platform that is away, or a platform over a store that fails, on the test's clock. */
async function connect(open: (clock: Clock) => ChatPlatform, over = (store: Store) => store): Promise<Away> {
  const clock = new ManualClock();
  const opened = await openFileStore(path.join(tempDirectory(), "away.db"));
  const store = over(opened);
  const said: string[] = [];
  const parts = new AsyncDisposableStack();
  const leaving = new AbortController();
  const platform = open(clock);
  const connecting = connectPlatforms([platform], {
    store,
    shared: null,
    workspaces: { begin: () => Promise.resolve() },
    finaliser: new MessageFinaliser({ store, clock, log: silentLog, platform: () => platform, signal: leaving.signal }),
    receive: () => Promise.resolve({ type: "accepted" }),
    clock,
    log: silentLog,
    timezone: "Europe/Paris",
    onStored: () => undefined,
    say: (line) => said.push(line),
    fail: (error) => said.push(`failed: ${error.code}`),
    parts,
    signal: leaving.signal,
  });
  onTestFinished(async () => {
    leaving.abort();
    await parts.disposeAsync();
    await connecting.catch(() => {}); // The abort ends the head start.
    await opened.close();
  });
  return {
    said,
    clock,
    store,
    untilSaid: async (line) => {
      const passed = async () => {
        await clock.advance(500);
        return said;
      };
      await expect.poll(passed).toContainEqual(expect.stringMatching(line));
    },
  };
}

function slackAt(apiUrl: string) {
  return (clock: Clock) =>
    createSlackPlatform({
      botToken: "xoxb-x",
      mode: { type: "socket", appToken: "xapp-x" },
      apiUrl,
      reactions: [],
      clock,
      log: silentLog,
    });
}

function discordAt(apiUrl: string) {
  return (clock: Clock) => createDiscordPlatform({ token: "x.y.z", apiUrl, reactions: [], clock, log: silentLog });
}

test.each([
  { name: "Slack", at: slackAt },
  { name: "Discord", at: discordAt },
])(
  "$name that refuses connections: what was tried, what failed and when it is tried again is said once",
  async (given) => {
    const port = await freePort();
    const { said, untilSaid } = await connect(given.at(`http://127.0.0.1:${port}/api`));
    await untilSaid(/^⏳/u);
    await untilSaid(/./u);
    expect(said).toEqual([
      expect.stringMatching(
        new RegExp(
          `^⏳ ${given.name}: cannot sign in at 127\\.0\\.0\\.1:${port}, it refuses the connection \\(ECONNREFUSED\\)\\. Retrying (now|in \\d+ s)\\.$`,
          "u",
        ),
      ),
    ]);
  },
);

test("a name that is not found is said to be none", async () => {
  const { untilSaid } = await connect(slackAt("http://slack.invalid/api/"));
  await untilSaid(
    /^⏳ Slack: cannot sign in at slack\.invalid, its name (was not found|can't be looked up) \(E\w+\)\. Retrying/u,
  );
});

test("a Slack that says nothing is said to be silent, and what comes of it later, too", async () => {
  const sockets = createServer();
  sockets.listen(0, "127.0.0.1");
  await once(sockets, "listening");
  onTestFinished(() => {
    sockets.close();
  });
  const { said, untilSaid } = await connect(slackAt(`http://127.0.0.1:${portOf(sockets)}/api/`));
  const asked = once(sockets, "connection");
  await untilSaid(/^⏳ Slack: signing in at 127\.0\.0\.1:\d+, which has not answered yet\. Retrying\.$/u);
  const [socket] = await asked;
  sockets.on("connection", (next) => next.destroy());
  socket.destroy();
  await untilSaid(/^⏳ Slack: cannot sign in at 127\.0\.0\.1:\d+, it closed the connection \(\w+\)\. Retrying/u);
  expect(said.filter((line) => line.includes("has not answered"))).toHaveLength(1);
});

test("a database that is away while a platform is connected ends nothing, and is asked again", async () => {
  const left = { reads: 2, writes: 2 };
  const away = () => Promise.reject(new Error("away"));
  const over = (store: Store): Store => ({
    ...store,
    posts: {
      ...store.posts,
      unclosed() {
        left.reads -= 1;
        return left.reads < 0 ? store.posts.unclosed() : away();
      },
    },
    transaction(work) {
      left.writes -= 1;
      return left.writes < 0 ? store.transaction(work) : away();
    },
  });
  const { said, clock, store } = await connect(memoryPlatform, over);
  const seenAt = async () => {
    await clock.advance(5_000);
    return left.reads < 0 ? store.presence.seenAt("slack") : null;
  };
  await expect.poll(seenAt).not.toBeNull();
  expect(said).toEqual([expect.stringMatching(/^✓ Slack/u)]);
});

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
