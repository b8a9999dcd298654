import { expect, test } from "vitest";
import type { ModelRequest } from "../../../src/core/providers/provider.ts";
import { type Skill, skillCatalogue } from "../../../src/core/skills/skills.ts";
import { simOffice } from "../../support/simulation/sim-office.ts";
import { ANA } from "../../support/simulation/sim-people.ts";
import { type Reply, ScriptedModel, tool } from "../agent/query-fixture.ts";
import { skillWith } from "../skills/skill-fixture.ts";

/** A model that makes one write call, which needs approval, and then ends. */
function writing() {
  const offered: string[][] = [];
  const model = new ScriptedModel((request: ModelRequest): Reply => {
    offered.push(request.tools.map(({ name }) => name));
    const isDone = request.messages.at(-1)?.content.some(({ type }) => type === "tool_result") ?? false;
    return isDone
      ? { text: "Done." }
      : { calls: [{ id: `call_${offered.length}`, name: "write", input: { path: "a" } }] };
  });
  return { model, offered };
}

const NARROWING = skillWith({ name: "tidy", tools: ["write"] });

const changes: { name: string; scope: Skill["scope"]; later: readonly Skill[]; offeredAfter: readonly string[] }[] = [
  { name: "is gone", scope: "run", later: [], offeredAfter: ["write"] },
  { name: "is gone", scope: "session", later: [], offeredAfter: ["write"] },
  { name: "narrows nothing any more", scope: "run", later: [skillWith()], offeredAfter: ["write"] },
  { name: "names more", scope: "run", later: [skillWith({ tools: ["write", "bash"] })], offeredAfter: ["write"] },
  { name: "names fewer", scope: "run", later: [skillWith({ tools: [] })], offeredAfter: [] },
];

test.each(changes)(
  "a parked run gains no tool if its skill for a $scope $name in the meantime",
  async ({ scope, later, offeredAfter }) => {
    let present: readonly Skill[] = [{ ...NARROWING, scope }];
    const { model, offered } = writing();
    const tools = [tool("write", { permission: "write" }), tool("bash", { permission: "execute" })];
    const office = await simOffice({ model, tools, skills: () => skillCatalogue(present, []) });
    await office.say("/skill tidy", { by: ANA, thread: "1" });
    if (scope === "session") await office.say("go on", { by: ANA, thread: "1" });
    expect(offered).toEqual([["write"]]);
    present = later;
    await office.click("approve:y", { by: ANA, thread: "1" });
    expect(offered).toEqual([["write"], offeredAfter]);
  },
);

const REMOVED =
  "The skill **tidy** has been removed since you called it, so nothing was done. `/skill` lists the ones available.";
const CHANGED =
  "The skill **tidy** has been changed since you called it and needs more, so nothing was done. `/skill tidy` shows what.";
const DEMANDING = skillWith({ name: "tidy", args: [{ name: "place", description: "", required: true }] });

/** An office whose skill differs between its call and the beginning of the run. */
async function queued(later: readonly Skill[]) {
  const { model, offered } = writing();
  let looks = 0;
  const skills = () => skillCatalogue(looks++ === 0 ? [NARROWING] : later, []);
  const tools = [tool("write", { permission: "write" }), tool("bash", { permission: "execute" })];
  return { office: await simOffice({ model, tools, skills }), offered };
}

test.each([
  { name: "is removed", later: [], told: REMOVED },
  { name: "demands more", later: [DEMANDING], told: CHANGED },
])("if a skill $name while its call waits, people are notified and no model is called", async ({ later, told }) => {
  const { office, offered } = await queued(later);
  await office.say("/skill tidy", { by: ANA, thread: "1" });
  expect(offered).toEqual([]);
  expect(office.messages("1").at(-1)?.markdown).toContain(told);
  await office.say("then without it", { by: ANA, thread: "1" });
  expect(offered).toHaveLength(1);
});
