import { BOB } from "../../support/simulation/sim-people.ts";
import { attach, bash, fetch, grep, program, read, readThread, said, write } from "../../support/trust/steps.ts";
import { ALERT, agi, type Cards, type Conversation, here, underAlert } from "./conversation.ts";

const TESTS = "grep -c limit src/app.test.ts";
/** Days ago somebody always allowed running the tests. */
const testsAllowed = {
  says: "run the tests",
  thread: "days ago",
  does: [bash(TESTS)],
  clicks: "A",
  cards: [1, 1],
} as const;

/** Eight requests in one thread, each of which reads, changes the same file and runs the same tests. */
function eightTurns(first: Cards, clicks: "a" | "y" = "a"): Conversation["turns"] {
  return Array.from({ length: 8 }, (_, index) => ({
    says: `step ${index + 1}`,
    does: [read("src/app.ts"), [grep("limit")], write("src/fix.ts", `// ${index}\n`), bash(TESTS)],
    clicks,
    cards: index === 0 ? first : [0, 0],
  }));
}

/** Conversations in which something is changed or run. */
export const WORKING: readonly Conversation[] = [
  {
    name: "an alert is fixed",
    setting: underAlert,
    turns: [
      { says: "fix it", does: [read("src/app.ts"), write("src/fix.ts", "// better\n"), bash(TESTS)], cards: [2, 2] },
    ],
  },
  {
    name: "files are asked about",
    setting: here,
    turns: [
      { says: "what is in here?", does: [[read("README.md"), read("src/app.ts")], grep("limit")] },
      { says: "and notes.txt?", does: [read("notes.txt")] },
    ],
    asksNobody: true,
  },
  {
    name: "a file is changed and tested, each allowed for the session",
    setting: here,
    turns: [
      {
        says: "raise the limit",
        does: [read("src/app.ts"), write("src/app.ts", "export const limit = 200;\n"), bash(TESTS)],
        clicks: "a",
        cards: [2, 2],
      },
      { says: "more", does: [write("src/app.ts", "export const limit = 300;\n"), bash(TESTS)] },
    ],
  },
  {
    name: "tests that are always allowed run, and nothing else was read",
    setting: here,
    turns: [testsAllowed, { says: "run the tests", does: [read("src/app.ts"), bash(TESTS)] }],
  },
  {
    name: "tests that are always allowed run after a linked page",
    setting: here,
    turns: [
      testsAllowed,
      {
        says: "read http://docs.test/limits, then run the tests",
        does: [fetch("http://docs.test/limits"), bash(TESTS)],
        clicks: "a",
        cards: [0, 1],
      },
      { says: "once more", does: [bash(TESTS)] },
      { says: "and again", does: [fetch("http://docs.test/limits"), bash(TESTS)] },
    ],
  },
  {
    name: "tests that are always allowed run under an alert",
    setting: underAlert,
    turns: [
      { says: "run the tests", does: [bash(TESTS)], clicks: "A", cards: [1, 1] },
      { says: "again", does: [read("src/app.ts"), bash(TESTS)] },
    ],
  },
  {
    name: "a file that was written under a linked page is changed days later",
    setting: here,
    turns: [
      testsAllowed,
      {
        says: "note what http://docs.test/limits says in limits.md",
        thread: "yesterday",
        does: [fetch("http://docs.test/limits"), write("limits.md", "300 a minute\n")],
        cards: [1, 1],
      },
      { says: "run the tests", does: [read("src/app.ts"), bash(TESTS)] },
      { says: "and with limits.md?", does: [read("limits.md"), bash(TESTS)], clicks: "a", cards: [0, 1] },
      { says: "once more", does: [read("limits.md"), bash(TESTS)] },
    ],
  },
  {
    name: "content of a page is written to a file",
    setting: here,
    turns: [
      {
        says: "note what http://docs.test/limits says in notes.txt",
        does: [fetch("http://docs.test/limits"), read("notes.txt"), write("notes.txt", "300 a minute\n")],
        cards: [1, 1],
      },
    ],
  },
  {
    name: "two people ask in one thread, and each allows for the session",
    setting: here,
    turns: [
      { says: "run the tests", does: [bash(TESTS)], clicks: "a", cards: [1, 1] },
      { by: BOB, says: "again, please", does: [bash(TESTS)], clicks: "a", cards: [1, 1] },
      { says: "and once more", does: [bash(TESTS)] },
    ],
  },
  {
    name: "someone comments before the person asks again",
    setting: here,
    turns: [
      { says: "run the tests", does: [bash(TESTS)], clicks: "a", cards: [1, 1] },
      { by: BOB, says: "I saw them fail", addressed: "none" },
      { says: "again", does: [bash(TESTS)], clicks: "a", cards: [1, 1] },
      { says: "again", does: [bash(TESTS)], clicks: "a", cards: [0, 0] },
    ],
  },
  {
    name: "someone else asked in the thread earlier, and the first person continues",
    setting: here,
    turns: [
      { says: "run the tests", does: [bash(TESTS)], clicks: "a", cards: [1, 1] },
      { by: BOB, says: "what is in notes.txt?", does: [read("notes.txt")] },
      { says: "run the tests again", does: [bash(TESTS)], clicks: "a", cards: [0, 1] },
      { says: "and again", does: [bash(TESTS)] },
    ],
  },
  {
    name: "an attached log is examined",
    setting: here,
    turns: [
      {
        says: "what went wrong?",
        attached: { "server.log": "09:12 500 /checkout\n" },
        does: [read("attachments/server.log"), grep("limit")],
      },
    ],
    asksNobody: true,
  },
  {
    name: "an attached log, then tests that are always allowed",
    setting: here,
    turns: [
      testsAllowed,
      {
        says: "what went wrong?",
        attached: { "server.log": "09:12 500 /checkout\n" },
        does: [read("attachments/server.log"), bash(TESTS)],
        clicks: "a",
        cards: [0, 1],
      },
      { says: "again", does: [bash(TESTS)] },
    ],
  },
  {
    name: "a forwarded message is explained",
    setting: here,
    turns: [{ says: "what does this mean?", quoted: ["Eva wrote: the limit is hit"], does: [grep("limit")] }],
    asksNobody: true,
  },
  {
    name: "the thread is summarised",
    setting: { ...here, said: [said("it broke at nine", { id: "slack:U2", name: "Bob", isBot: false })] },
    turns: [{ says: "sum this up", does: [readThread] }],
    asksNobody: true,
  },
  {
    name: "a file is sent to the thread",
    setting: here,
    turns: [{ says: "send me notes.txt", does: [attach("notes.txt")] }],
    asksNobody: true,
  },
  {
    name: "a report is written and sent after a linked page",
    setting: here,
    turns: [
      {
        says: "write up http://docs.test/limits",
        does: [fetch("http://docs.test/limits"), write("report.md", "# Limits\n"), attach("report.md")],
        cards: [1, 1],
      },
    ],
  },
  {
    name: "a program asks an API",
    setting: here,
    turns: [
      {
        says: "which version has the API?",
        does: [program("const r = await fetch('http://api.test/v1'); await r.text()", ["api.test"])],
        cards: [1, 1],
      },
    ],
  },
  {
    name: "agi: a linked page, a change and its tests",
    setting: agi,
    turns: [
      {
        says: "do what http://docs.test/limits says",
        does: [fetch("http://docs.test/limits"), read("src/app.ts"), write("src/fix.ts", "// 300\n"), bash(TESTS)],
      },
    ],
  },
  {
    name: "agi: two hosts are read, as in a job",
    setting: agi,
    turns: [
      {
        says: "every morning: what is new on http://docs.test/ and http://api.test/v1 ?",
        does: [[fetch("http://docs.test/"), fetch("http://api.test/v1")], fetch("http://docs.test/limits")],
      },
    ],
    asksNobody: true,
  },
  {
    name: "agi: eight turns of coding under an alert",
    setting: { ...agi, said: [ALERT] },
    turns: eightTurns([0, 0]),
  },
  {
    name: "agi: eight turns of coding under an alert, and its runbook",
    setting: { ...agi, said: [ALERT] },
    turns: [{ says: "read the runbook", does: [fetch("http://docs.test/limits")] }, ...eightTurns([0, 0])],
  },
  { name: "eight turns of coding under an alert", setting: underAlert, turns: eightTurns([2, 2]) },
  {
    name: "eight turns of coding under an alert, and its runbook",
    setting: underAlert,
    turns: [{ says: "read the runbook", does: [fetch("http://docs.test/limits")] }, ...eightTurns([2, 2])],
  },
  {
    name: "eight turns of coding under an alert, the tests always allowed before",
    setting: underAlert,
    turns: [...eightTurns([1, 2]), testsAllowed].toSorted(
      (a, b) => Number(b === testsAllowed) - Number(a === testsAllowed),
    ),
  },
];
