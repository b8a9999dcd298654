import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { text, toolUse } from "../../support/model/model-script.ts";
import { systemOf, toolsOf } from "../../support/model/request-parts.ts";
import { asks } from "../../support/talk/approval-talk.ts";
import { PLATFORMS, useBothPlatforms } from "../../support/talk/both-platforms.ts";
import { answers } from "../../support/talk/scene.ts";
import { conversationOf } from "../../support/talk/slack-talk.ts";
import { answered, isPart, part, results } from "../../support/talk/sub-agent-talk.ts";

/** A channel in which tools need approval. */
const ASKING = "C9001";
const both = useBothPlatforms({ settings: { mode: "agi", channels: { [`slack:${ASKING}`]: { mode: "write" } } } });
const unasked = both.slack;

function putSkill(root: string, folder: string, skill: string): void {
  const directory = path.join(root, folder);
  mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(directory, "SKILL.md"), skill);
}

test.each(PLATFORMS)("on %s /skill runs the project's copy of a skill, not the shipped one", async (platform) => {
  const scene = both.scene(platform);
  const { bot, model } = scene;
  putSkill(
    bot.sandboxRoot(scene.folder),
    "extensions/skills/code-review",
    "---\nname: code-review\ndescription: Reviews our way.\n---\nLook at $ARGUMENTS for missing units only.\n",
  );
  model.script(() => text("`src/` names its units."));
  const thread = scene.mention("/skill code-review src/");
  const messages = await thread.until((all) => answers(all).length > 0);
  expect(answers(messages).at(-1)).toBe("`src/` names its units.");
  const [request] = model.requests;
  expect(conversationOf(request?.body)).toContain("Look at src/ for missing units only.");
  expect(systemOf(request?.body)).toContain("Reviews our way.");
  expect(systemOf(request?.body)).toContain("release-notes");
});

test("a skill made for other agents works unchanged with its files, and its allowed-tools grant no permission", async () => {
  const office = unasked();
  const channel = ASKING;
  const root = office.bot.sandboxRoot(`slack-${channel}`);
  putSkill(
    root,
    ".claude/skills/tidy-names",
    "---\nname: tidy-names\ndescription: Tidies file names. Use when names are a mess.\nlicense: MIT\nallowed-tools: Bash(mv:*) Write\nmetadata:\n  author: somebody\n---\nRead references/rules.md first.\n",
  );
  mkdirSync(path.join(root, ".claude/skills/tidy-names/references"));
  writeFileSync(path.join(root, ".claude/skills/tidy-names/references/rules.md"), "Names are lower case.\n");
  office.model.script((_request, index) => {
    if (index === 0) return toolUse("skill", { skill: "tidy-names" });
    if (index === 1) return toolUse("read", { path: ".claude/skills/tidy-names/references/rules.md" });
    if (index === 2) return toolUse("write", { path: "a.txt", content: "a" });
    return text("Tidied.");
  });
  const talk = office.talk({ text: "tidy the names", channel });
  await asks(office, talk);
  const seen = conversationOf(office.model.requests.at(-1)?.body);
  expect(seen).toContain("Read references/rules.md first.");
  expect(seen).toContain("Names are lower case.");
  talk.click("approve:y");
  await talk.answered(2);
  expect(talk.answers()).toEqual(["✓ Allowed by @ana: write `a.txt`", "Tidied."]);
  expect(readFileSync(path.join(root, "a.txt"), "utf8")).toBe("a");
});

const AGENT_ONLY = "---\nname: hand-on\ndescription: Hands on.\ntools: [agent, read]\n---\nHand it on.\n";

test("dollar amounts in a skill's body are not treated as arguments, and the request follows the body", async () => {
  const office = unasked();
  const channel = office.channel();
  putSkill(
    office.bot.sandboxRoot(`slack-${channel}`),
    ".claude/skills/rates",
    "---\nname: rates\ndescription: What models cost.\n---\n| small | $1.00 | $5.00 |\n| large | $5 | $25 |\nAbove $1 ask first.\n",
  );
  office.model.script(() => text("The small one."));
  const talk = office.talk({ text: "/skill rates which is the cheapest", channel });
  await talk.answered(1);
  const seen = conversationOf(office.model.requests[0]?.body);
  expect(seen).toContain(String.raw`| small | $1.00 | $5.00 |\n| large | $5 | $25 |\nAbove $1 ask first.`);
  expect(seen).toContain("Arguments: which is the cheapest");
});

test("arguments that a model passes to a skill as text are inserted into it", async () => {
  const office = unasked();
  const channel = office.channel();
  putSkill(
    office.bot.sandboxRoot(`slack-${channel}`),
    "extensions/skills/code-review",
    "---\nname: code-review\ndescription: Reviews our way.\n---\nLook at $ARGUMENTS for missing units only.\n",
  );
  office.model.script((_request, index) =>
    index === 0 ? toolUse("skill", { skill: "code-review", args: "src/" }) : text("`src/` names its units."),
  );
  const talk = office.talk({ text: "review src/", channel });
  await talk.answered(1);
  expect(conversationOf(office.model.requests[1]?.body)).toContain("Look at src/ for missing units only.");
});

test("a skill called by the model restricts the tools of that run, and of no later one", async () => {
  const office = unasked();
  const channel = office.channel();
  const root = office.bot.sandboxRoot(`slack-${channel}`);
  putSkill(
    root,
    "extensions/skills/look-only",
    "---\nname: look-only\ndescription: Looks.\ntools: [read]\n---\nLook.\n",
  );
  office.model.script((_request, index) => {
    if (index === 0) return toolUse("skill", { skill: "look-only" });
    if (index === 1 || index === 3) return toolUse("write", { path: "a.txt", content: `${index}` });
    return text(index === 2 ? "Only looked." : "Written.");
  });
  const talk = office.talk({ text: "look around", channel });
  await talk.answered(1);
  expect(existsSync(path.join(root, "a.txt"))).toBe(false);
  expect(conversationOf(office.model.requests[2]?.body)).toContain("allows only these tools: read.");
  expect(toolsOf(office.model.requests[2]?.body)).toEqual(toolsOf(office.model.requests[0]?.body));

  talk.mention("now write it");
  await talk.answered(2);
  expect(talk.answers()).toEqual(["Only looked.", "Written."]);
  expect(readFileSync(path.join(root, "a.txt"), "utf8")).toBe("3");
});

test("a skill called by the model restricts sub-agents as well, even after its file was deleted", async () => {
  const office = unasked();
  const channel = office.channel();
  const root = office.bot.sandboxRoot(`slack-${channel}`);
  putSkill(root, "extensions/skills/hand-on", AGENT_ONLY);
  office.model.script((request) => {
    if (isPart(request, "A")) return text("Looked.");
    const said = results(request);
    if (said === "") return toolUse("skill", { skill: "hand-on" });
    if (said.includes("it lifts no boundary")) {
      rmSync(path.join(root, "extensions/skills/hand-on"), { recursive: true });
      return toolUse("write", { path: "a.txt", content: "a" });
    }
    if (said.startsWith("Not run")) return part("A");
    return text("Handed on.");
  });
  const talk = office.talk({ text: "hand it on", channel });
  await answered(office, talk, "Handed on.");
  expect(existsSync(path.join(root, "a.txt"))).toBe(false);
  const piece = office.model.requests.find((request) => isPart(request, "A"));
  expect(toolsOf(piece?.body)).toEqual(["read", "skill"]);
});

test("a skill restricts the tools of its run; one chosen for the session applies until it is switched off", async () => {
  const office = unasked();
  const channel = office.channel();
  const root = office.bot.sandboxRoot(`slack-${channel}`);
  putSkill(
    root,
    "extensions/skills/look-only",
    "---\nname: look-only\ndescription: Looks.\ntools: [read]\nargs:\n  - name: file\n    required: true\n---\nLook at {{file}}.\n",
  );
  office.model.script(() => text("Looked."));
  const talk = office.talk({ text: "/skill look-only", channel });
  await office.until("what is missing", () => office.ephemeralsTo("U0ANA").length === 1);
  expect(office.ephemeralsTo("U0ANA")[0]).toContain("/skill look-only <file>");
  expect(office.model.requests).toHaveLength(0);

  talk.mention("/skill look-only config.toml");
  await talk.answered(1);
  expect(toolsOf(office.model.requests[0]?.body)).toEqual(["read", "skill"]);
  expect(conversationOf(office.model.requests[0]?.body)).toContain("Look at config.toml.");

  const scoped =
    "name: tongue\ndescription: Answers so.\nscope: session\ntools: [read]\nargs:\n  - name: language\n    required: true";
  putSkill(root, "extensions/skills/tongue", `---\n${scoped}\n---\nAnswer in {{language}}.\n`);
  talk.mention("/skill tongue Latin");
  await office.until("that it holds", () => office.ephemeralsTo("U0ANA").length === 2);
  talk.mention("and now?");
  await talk.answered(2);
  expect(systemOf(office.model.requests[1]?.body)).toContain("Answer in Latin.");
  expect(toolsOf(office.model.requests[1]?.body)).toEqual(["read", "skill"]);
  talk.mention("/skill off");
  await office.until("that it is off", () => office.ephemeralsTo("U0ANA").length === 3);
  talk.mention("and now?");
  await talk.answered(3);
  expect(systemOf(office.model.requests[2]?.body)).not.toContain("Skill `tongue`");
});

test("calling a broken skill by name tells the caller what is broken", async () => {
  const office = unasked();
  const channel = office.channel();
  putSkill(office.bot.sandboxRoot(`slack-${channel}`), ".claude/skills/tidy", "---\nname: tidy\n");
  office.talk({ text: "/skill tidy", channel });
  await office.until("what is broken", () => office.ephemeralsTo("U0ANA").length === 1);
  expect(office.ephemeralsTo("U0ANA")[0]).toContain(".claude/skills/tidy/SKILL.md:1: the front matter is not closed");
  expect(office.model.requests).toHaveLength(0);
});

test("a skill for people only runs when a person calls it, and the model can neither see nor call it", async () => {
  const office = unasked();
  const channel = office.channel();
  putSkill(
    office.bot.sandboxRoot(`slack-${channel}`),
    ".claude/skills/ship-it",
    "---\nname: 发布\ndescription: Ships.\ndisable-model-invocation: true\ntools: Bash(git:*), Read\nmodel: other\nscope: global\n---\nRun {baseDir}/ship.sh.\n",
  );
  office.model.script((_request, index) =>
    index === 0 ? toolUse("skill", { skill: "ship-it" }) : text(index === 1 ? "I may not." : "Shipped."),
  );
  const talk = office.talk({ text: "ship it", channel });
  await talk.answered(1);
  expect(systemOf(office.model.requests[0]?.body)).not.toContain("ship-it");
  expect(conversationOf(office.model.requests[1]?.body)).toContain("Only people can call the skill ship-it");
  talk.mention("/skill ship-it");
  await talk.answered(2);
  expect(conversationOf(office.model.requests[2]?.body)).toContain("Run .claude/skills/ship-it/ship.sh.");
  expect(toolsOf(office.model.requests[2]?.body)).toEqual(["git", "read", "skill"]);
  talk.mention("/skill");
  await office.until("the list", () => office.ephemeralsTo("U0ANA").length === 1);
  expect(office.ephemeralsTo("U0ANA")[0]).toContain("ignored: `scope (must be run or session)`, `model`");
});

test("/skill without arguments lists the skills in an ephemeral message", async () => {
  const office = unasked();
  office.model.script(() => text("Done."));
  const channel = office.channel();
  const root = office.bot.sandboxRoot(`slack-${channel}`);
  putSkill(root, ".claude/skills/odd\n✓ Allowed: all", "---\nname: odd\ndescription: Odd.\n---\nDo.\n");
  const talk = office.talk({ text: "/skill", channel });
  await office.until("the list", () => office.ephemeralsTo("U0ANA").length === 1);
  const [list] = office.ephemeralsTo("U0ANA");
  expect(list).toContain("**code-review**");
  expect(list).not.toContain("\n✓");
  expect(list).toContain("invisible characters");
  expect(talk.answers()).toEqual([]);
});
