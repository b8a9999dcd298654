import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { cutOff, hold, silent, text, toolUse } from "../../support/model/model-script.ts";
import type { RecordedRequest } from "../../support/model/model-server.ts";
import { systemOf, toolsOf } from "../../support/model/request-parts.ts";
import { asks, cards, rootOf, writeNote } from "../../support/talk/approval-talk.ts";
import { inDatabase } from "../../support/talk/memory-talk.ts";
import { conversationOf, type Talk } from "../../support/talk/slack-talk.ts";
import { answered } from "../../support/talk/sub-agent-talk.ts";
import { type Office, ONE_TURN, type Parked } from "./parked.ts";

/** Conversations that wait for people, or that continue because of them. */

/** Whether the thread has a bot message with a button whose id begins with this prefix. */
const has = (talk: Talk, prefix: string) =>
  talk.seen().some(({ byBot, buttons }) => byBot && buttons.some(({ id }) => id.startsWith(prefix)));

/** Runs first: other conversations use up Slack's rate of edits, which would delay this one's pause line. */
export async function pauses(at: Office): Promise<Parked> {
  const awake = ({ body }: RecordedRequest) => /The pause of[^"]+?\./u.exec(conversationOf(body))?.[0] ?? "no pause";
  const requests = at.play("look again soon", (request, index) =>
    index === 0 ? toolUse("sleep", { seconds: 20 }) : text(awake(request)),
  );
  const talk = at.talk({ text: "look again soon", channel: at.channel() });
  await talk.shows(/⏸ \*\*build\*\*.* until \d\d:\d\d UTC/u);
  return {
    goOn: () => answered(at, talk, "The pause of 20 s is over."),
    over: () => expect(requests()).toHaveLength(2),
  };
}

export const asksWhichPort =
  (words: string, answer: (talk: Talk) => void) =>
  async (at: Office): Promise<Parked> => {
    const heard = ({ body }: RecordedRequest) => conversationOf(body).match(/\w+ (?:chose|answered): [^"\\]+/gu) ?? [];
    at.play(words, (request, index) =>
      index === 0
        ? toolUse("ask_user_question", { question: "Which port?", options: ["8080", "9090"] })
        : text(`Heard: ${heard(request).at(-1) ?? "nothing"}`),
    );
    const talk = at.talk({ text: words, channel: at.channel() });
    await at.until("the question", () => has(talk, "answer:"));
    return {
      async goOn() {
        answer(talk);
        await answered(at, talk, "Heard: ana chose: 9090");
        await at.until("the closed card", () => !has(talk, "answer:"));
      },
      over() {
        expect(talk.answers().filter((each) => each.includes("Heard:"))).toHaveLength(1);
        expect(talk.seen().filter(({ text: shown }) => /^(?:Question: |> )Which port\?/mu.test(shown))).toHaveLength(1);
      },
    };
  };

const REVIEW = "---\nname: code-review\ndescription: Reviews our way.\ntools: [read, glob]\n---\n";

export async function skill(at: Office): Promise<Parked> {
  const [first, again] = [hold(), hold()];
  const requests = at.play("missing units only", (request) =>
    request.toolResults.length === 0
      ? [text("I look."), toolUse("glob", { pattern: "src/*" })]
      : [first.part, again.part, text("`a.ts` names no unit.")],
  );
  const channel = at.channel();
  const root = rootOf(at, channel);
  const file = path.join(root, "extensions/skills/code-review/SKILL.md");
  for (const folder of [path.dirname(file), path.join(root, "src")]) mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${REVIEW}Look at $ARGUMENTS for missing units only.\n`);
  writeFileSync(path.join(root, "src/a.ts"), "export const timeout = 5;\n");
  const talk = at.talk({ text: "/skill code-review src/", channel });
  await first.reached;
  return {
    dead() {
      first.release();
      // A run keeps the agent's definition that it began with, even if the file changes.
      writeFileSync(file, "---\ndescription: Does all.\n---\nDo as you like.\n");
    },
    async goOn() {
      await again.reached;
      again.release();
      await talk.answered(1);
    },
    over() {
      expect(talk.answers()).toEqual(["`a.ts` names no unit."]);
      expect(talk.live()).toHaveLength(1);
      expect(requests()).toHaveLength(3);
      const [, cut, resumed] = requests();
      expect(conversationOf(resumed?.body)).toBe(conversationOf(cut?.body));
      expect(conversationOf(resumed?.body)).toContain("Look at src/ for missing units only.");
      expect(resumed?.toolResults.map((result) => result.text)).toEqual([expect.stringContaining("src/a.ts")]);
      expect(toolsOf(resumed?.body)).toEqual(["glob", "read", "skill"]);
      expect(systemOf(resumed?.body)).toContain("Does all.");
    },
  };
}

const NARROW = "---\ndescription: Looks.\ntools: [read]\n---\nLook only.\n";

/** Versions of a stored result that narrows the run: beside any words, and as older rows have it, in words alone. */
const STORED = {
  reworded: `json_set("content", '$[0].content[0].text', 'In other words.')`,
  earlier: `json_set(json_remove("content", '$[0].narrowsTo'), '$[0].content[0].text',
    'It is done with these tools alone, others are refused: read.')`,
} as const;

/** The model follows a skill that narrows the run. Its stored result is rewritten while no process runs. */
export const calledSkill =
  (words: string, version: keyof typeof STORED) =>
  async (at: Office): Promise<Parked> => {
    const gate = hold();
    const requests = at.play(words, (_request, index) => {
      if (index === 0) return toolUse("skill", { skill: "look-only" });
      if (index === 1) return cutOff(gate);
      return index === 2 ? toolUse("write", { path: "a.txt", content: "a" }) : text("Looked.");
    });
    const channel = at.channel();
    const root = rootOf(at, channel);
    const folder = path.join(root, "extensions/skills/look-only");
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "SKILL.md"), NARROW);
    const talk = at.talk({ text: words, channel });
    await gate.reached;
    return {
      dead() {
        gate.release();
        rmSync(folder, { recursive: true });
        const sql = `UPDATE "Message" SET "content" = ${STORED[version]} WHERE instr("content", '"narrowsTo":["read"]') > 0
          AND "sessionId" IN (SELECT "id" FROM "Session" WHERE "channelId" LIKE ?)`;
        expect(inDatabase(at, (database) => database.prepare(sql).run(`%${channel}`).changes)).toBe(1);
      },
      goOn: () => answered(at, talk, "Looked."),
      over() {
        expect(requests().at(-1)?.toolResults).toMatchObject([
          { text: expect.stringContaining("only these tools: read.") },
        ]);
        expect(existsSync(path.join(root, "a.txt"))).toBe(false);
      },
    };
  };

export async function continued(at: Office): Promise<Parked> {
  const gate = hold();
  const requests = at.play("count the files", (_request, index) => {
    if (index === 0) return toolUse("glob", { pattern: "*" });
    return index === 1 ? cutOff(gate) : text("Three.");
  });
  const talk = at.talk({ text: "count the files", channel: ONE_TURN });
  await talk.answered(1);
  talk.click("continue:");
  await gate.reached;
  return {
    async goOn() {
      talk.click("continue:");
      expect(await talk.answered(2)).toBe("Three.");
    },
    over: () => expect(requests()).toHaveLength(3),
  };
}

export async function alwaysAllowed(at: Office): Promise<Parked> {
  const requests = at.play("write them", writeNote(["a.txt", "a.txt", "b.txt"]));
  const again = at.play("once more", writeNote(["b.txt", "a.txt"]));
  const channel = at.asking();
  const talk = at.talk({ text: "write them", channel });
  await asks(at, talk);
  writeFileSync(path.join(rootOf(at, channel), "other.txt"), "");
  talk.click("approve:a");
  await at.until("the question about b.txt", () => cards(talk).some(({ text: shown }) => shown.includes("b.txt")));
  expect(requests()).toHaveLength(3);
  talk.click("approve:A");
  await talk.answered(3);
  expect(talk.answers().slice(0, 2)).toEqual([
    expect.stringMatching(/^✓ Allowed for this session by @ana/u),
    expect.stringMatching(/^✓ Always allowed here by @ana/u),
  ]);
  const next = () => at.talk({ text: "once more", channel });
  let asked: Talk | null = null;
  return {
    async goOn() {
      asked = next();
      await asks(at, asked);
    },
    over() {
      expect(asked === null ? "" : cards(asked)[0]?.text).toContain("a.txt");
      expect(again()).toHaveLength(2);
    },
  };
}

/** A card that is clicked just before the kill if `before` is set, and after the kill if it is still open. */
export const clickedOnce =
  (words: string, before: boolean) =>
  async (at: Office): Promise<Parked> => {
    const requests = at.play(words, writeNote(["a.txt"]));
    const talk = at.talk({ text: words, channel: at.asking() });
    await asks(at, talk);
    return {
      before: async () => {
        if (before) talk.click("approve:y");
      },
      async goOn() {
        if (cards(talk).length > 0) talk.click("approve:y");
        await talk.answered(2);
      },
      over() {
        expect(readFileSync(path.join(rootOf(at, talk.channel), "a.txt"), "utf8")).toBe("a.txt\n");
        expect(talk.answers().filter((answer) => answer.startsWith("Written or not"))).toHaveLength(1);
        if (!before) expect(requests()).toHaveLength(2);
      },
    };
  };

export async function twentyCards(at: Office): Promise<Parked> {
  at.play("card number", ({ body }) => {
    const conversation = conversationOf(body);
    const [, number = ""] = /card number (\d+)/u.exec(conversation) ?? [];
    if (conversation.includes("tool_result")) return text(`Finished ${number}.`);
    return toolUse("write", { path: "a.txt", content: number });
  });
  const talks = Array.from({ length: 20 }, (_, index) =>
    at.talk({ text: `card number ${index}`, channel: at.asking() }),
  );
  await at.until("all cards", () => talks.every((talk) => cards(talk).length === 1));
  const finished = (talk: Talk) => talk.answers().filter((answer) => answer.startsWith("Finished"));
  return {
    async goOn() {
      for (const talk of talks) talk.click("approve:y");
      await at.until("all answers", () => talks.every((talk) => finished(talk).length > 0));
    },
    over() {
      expect(talks.map((talk) => finished(talk).length)).toEqual(talks.map(() => 1));
      expect(at.slack.rateLimited()).toBe(0);
    },
  };
}

/** The request is deleted while the model is answering, before the kill or while no process runs. */
export const deleted =
  (words: string, when: "before" | "dead") =>
  async (at: Office): Promise<Parked> => {
    const gate = hold();
    const requests = at.play(words, (_request, index) => (index === 0 ? cutOff(gate) : silent()));
    const channel = at.channel();
    const talk = at.talk({ text: words, channel });
    await gate.reached;
    await at.until("the live message", () => has(talk, "stop:"));
    const withdraw = () => {
      const request = at.slack.workspace.find(channel, talk.rootTs);
      if (request === undefined) throw new Error("the request is gone");
      return at.slack.people.delete(request);
    };
    return {
      ...(when === "before" ? { before: () => withdraw().answered } : {}),
      dead() {
        if (when === "dead") withdraw();
        gate.release();
      },
      async goOn() {
        await talk.shows(/^⏹ Stopped by the deletion of its request/u);
        await at.until("no button", () => !has(talk, "stop:"));
      },
      over() {
        expect(talk.live()).toHaveLength(1);
        expect(talk.answers()).toEqual([]);
        expect(requests().length).toBeLessThanOrEqual(when === "before" ? 1 : 2);
      },
    };
  };
