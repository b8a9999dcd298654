import { expect, test } from "vitest";
import { startPostgres } from "../../support/database/postgres.ts";
import { text } from "../../support/model/model-script.ts";
import { systemOf } from "../../support/model/request-parts.ts";
import { answers, discordScene, putFile } from "../../support/talk/scene.ts";

const RULE = "Deploy from the main branch only.";

test("on Discord and PostgreSQL a repository's AGENTS.md is shown once, and followed once it is allowed", async () => {
  const postgres = await startPostgres();
  await using resources = new AsyncDisposableStack();
  resources.defer(() => postgres.stop());
  const env = { DATABASE_URL: await postgres.createDatabase() };
  const scene = resources.use(await discordScene({ env, settings: { mode: "write" } }));
  putFile(scene, ".git/HEAD", "ref: refs/heads/main\n");
  putFile(scene, "AGENTS.md", `${RULE}\n`);
  scene.model.script(() => text("Done."));
  await scene.bot.start();
  const prompt = () => systemOf(scene.model.requests.at(-1)?.body);

  const first = scene.mention("hello");
  const shown = await first.until(
    (all) => answers(all).length > 0 && all.some(({ buttons }) => buttons.some((id) => id.startsWith("hook:instr"))),
  );
  const card = shown.find(({ buttons }) => buttons.some((id) => id.startsWith("hook:instr")));
  expect(card?.text).toContain(RULE);
  expect(prompt()).not.toContain(RULE);

  first.click(card?.buttons.find((id) => id.startsWith("hook:instr")) ?? "");
  await first.until((all) => all.some(({ text: said }) => said.includes("allowed by @") && said.includes("AGENTS.md")));
  const second = scene.mention("hello again");
  const all = await second.until((messages) => answers(messages).length > 0);
  expect(prompt()).toContain(RULE);
  expect(all.some(({ buttons }) => buttons.some((id) => id.startsWith("hook:instr")))).toBe(false);
});
