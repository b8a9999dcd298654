import { expect, onTestFinished, test } from "vitest";
import { createWorkspaces } from "../../../src/core/permissions/workspaces.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { openFileStore } from "../../support/database/empty-database.ts";
import { silentLog } from "../../support/silent-log.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

const ANA = { id: "discord:1", name: "ana", roles: [], isBot: false, isGuest: false, isExternal: false };

interface World {
  readonly access?: { readonly workspaces?: readonly string[] };
  /** Servers that have the bot as a member. */
  readonly present: Map<string, string>;
  /** Servers that have Ana as a member. */
  readonly hers?: readonly string[];
  /** Number of requests that the platform leaves unanswered at first. */
  readonly unanswered?: number;
}

/** Successive starts of the program on one database. */
async function starts() {
  const store = await openFileStore(`${tempDirectory()}/w.db`);
  onTestFinished(() => store.close());
  return async ({ access = {}, present, hers = [], unanswered = 0 }: World) => {
    let left = unanswered;
    const workspaces = createWorkspaces({
      store,
      access,
      platforms: new Map([["discord", { workspaces: () => present }]]),
      memberOf: async ({ workspaceId }) => {
        if (left > 0) throw new Error(`not now, ${(left -= 1)}`);
        return hers.includes(workspaceId) ? ANA : null;
      },
      clock: systemRuntime().clock,
      log: silentLog,
    });
    await workspaces.begin("discord");
    const ask = (id: string, kind: "channel" | "dm" = "channel") =>
      workspaces.refusalOf({
        workspace: { id, name: `Server ${id}` },
        thread: { platform: "discord", workspaceId: id, channelId: "7", threadId: null },
        channel: { id: "7", name: "general", kind },
        person: ANA,
      });
    return { ask, known: () => store.knownWorkspaces.of("discord") };
  };
}

test("servers present at the first start stay served; a later server is told which setting admits it", async () => {
  const start = await starts();
  const first = await start({ present: new Map([["10", "Home"]]) });
  expect(await first.ask("10")).toBeNull();
  const next = await start({ present: new Map(["10", "66"].map((id) => [id, id] as const)) });
  expect(await next.ask("10")).toBeNull();
  expect(await next.ask("66")).toBe(
    "I do not work in this workspace yet. An operator can add it (`access.workspaces`: `discord:66`).",
  );
  expect(await next.known()).toEqual([
    { id: "discord:10", name: "Home", isServed: true },
    { id: "discord:66", name: "Server 66", isServed: false },
  ]);
});

test("a bot without servers serves the first one that it is added to", async () => {
  const present = new Map<string, string>();
  const { ask } = await (await starts())({ present });
  present.set("10", "Home");
  expect(await ask("10")).toBeNull();
  present.set("66", "Later");
  expect(await ask("66")).toContain("discord:66");
});

test("the settings decide if they name any workspace of the platform", async () => {
  const present = new Map(["10", "66"].map((id) => [id, id] as const));
  const start = await starts();
  const named = await start({ present, access: { workspaces: ["discord:66"] } });
  expect(await named.ask("66")).toBeNull();
  expect(await named.ask("10")).toContain("access.workspaces");
  const others = await start({ present, access: { workspaces: ["slack:T1"] } });
  expect([await others.ask("10"), await others.ask("66")]).toEqual([null, null]);
});

test("direct messages of members of a served server are served", async () => {
  const start = await starts();
  const present = new Map([["10", "Home"]]);
  expect(await (await start({ present, hers: ["10"] })).ask("@me", "dm")).toBeNull();
  expect(await (await start({ present, hers: ["66"] })).ask("@me", "dm")).toBe(
    "I only answer people from servers I work in.",
  );
});

test("a failed membership lookup does not refuse a person", async () => {
  const start = await starts();
  const { ask } = await start({ present: new Map([["10", "Home"]]), hers: ["10"], unanswered: 1 });
  expect(await ask("@me", "dm")).toContain("I only answer people from servers");
  expect(await ask("@me", "dm")).toBeNull();
});
