import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { text } from "../support/model/model-script.ts";
import { startProxyServer } from "../support/proxy/proxy-server.ts";
import { bothPlatforms } from "../support/talk/both-platforms.ts";
import { tempDirectory } from "../support/temp-directory.ts";
import { VALID } from "../tools/network/certificates.ts";

const [SLACK, DISCORD, MODEL] = ["page.example:7001", "page.example:7002", "page.example:7003"] as const;

test("behind the proxy from .env, with a password, all outgoing requests use it, and a stop does not wait for a sign-in", async () => {
  const trusted = path.join(tempDirectory(), "company.pem");
  writeFileSync(trusted, VALID.cert);
  await using both = await bothPlatforms({
    settings: ({ id }) => ({ mode: "agi", access: { workspaces: [`discord:${id}`] } }),
    origin: `https://${SLACK}`,
    discordOrigin: `https://${DISCORD}`,
    env: { NODE_EXTRA_CA_CERTS: trusted, ANTHROPIC_BASE_URL: `https://${MODEL}` },
  });
  const { bot, model, slack, discord } = both;
  const sites = new Map<string, number>([
    [SLACK, slack.slack.port],
    [DISCORD, discord.discord.port],
    [MODEL, Number(new URL(model.url).port)],
  ]);
  const password = "pa55-of-the-proxy";
  await using proxy = await startProxyServer({
    leadsTo: (target) => sites.get(target),
    credentials: `deckhand:${password}`,
    certificate: VALID,
  });
  writeFileSync(path.join(bot.home, ".env"), `HTTPS_PROXY=${proxy.url}\n`);
  await bot.start();
  model.script(() => text("Heard."));

  const file = { name: "note.txt", mediaType: "text/plain", data: Buffer.from("of the file") };
  const talk = slack.talk({ text: "what does it say?", file });
  const there = discord.mention(discord.channel("general"), "and here?");
  expect([await talk.answered(1), await there.answered(1)]).toEqual(["Heard.", "Heard."]);
  expect(slack.requestsAbout("of the file")).not.toEqual([]);
  expect(new Set(proxy.asked)).toEqual(new Set([...sites.keys()].map((site) => `CONNECT ${site}`)));
  expect(bot.output()).not.toContain(password);
  expect(bot.output()).not.toMatch(/⚠.*PROXY/u);
  expect(await bot.kill("SIGTERM")).toBe(0);

  const { faults } = slack.slack;
  faults.add("auth.test", { kind: "slow", until: new Promise(() => {}) });
  bot.launch();
  await slack.until("the sign-in", () => !faults.isPending("auth.test"));
  expect(await bot.kill("SIGTERM")).toBe(0);
  expect(bot.output()).not.toContain("stop_cut_off");
});
