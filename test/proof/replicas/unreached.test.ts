import { expect, test } from "vitest";
import { startTcpProxy } from "../../support/database/network/tcp-proxy.ts";
import { openButtons } from "../../support/replicas/place.ts";
import { answer, openStage } from "./stage.ts";

/** Each of the replicas would take some of so many. */
const MENTIONS = 12;

test("of what is asked while one of three replicas does not reach Slack, it takes nothing, and it ends", async () => {
  await using parts = new AsyncDisposableStack();
  const networks: Awaited<ReturnType<typeof startTcpProxy>>[] = [];
  const stage = await openStage({
    replicas: 3,
    settings: { mode: "agi" },
    each: async ({ SLACK_API_URL = "" }) => {
      const network = parts.use(await startTcpProxy(SLACK_API_URL));
      networks.push(network);
      return [{}, {}, { SLACK_API_URL: network.urlOf(SLACK_API_URL) }];
    },
  });
  parts.use(stage);
  const { fleet, slack } = stage.town;
  await fleet.start();
  const [, , cutOff] = fleet.replicas;
  const [network] = networks;
  network?.refuse();
  network?.cut();
  await stage.until("the news", () => cutOff?.bot.output().includes("slack_disconnected") === true);
  const asked = await Promise.all(
    Array.from({ length: MENTIONS }, (_, channel) => stage.ask("slack", answer, channel)),
  );
  for (const each of asked) await each.answered();
  expect(cutOff?.bot.output()).not.toContain("model_responded");
  await stage.until("the end of the one that is cut off", () => cutOff?.exits.length === 1);
  expect(cutOff?.exits).toEqual([1]);
  network?.accept();
  await stage.settled();
  for (const { mark, answers } of asked) expect(answers().length, `answers to ${mark}`).toBe(1);
  await stage.until("the last edits", () =>
    asked.every(({ thread }) => thread.byBot().every((shown) => openButtons(shown).length === 0)),
  );
  expect(slack.calls.filter(({ outcome }) => outcome === "429")).toEqual([]);
}, 600_000);
