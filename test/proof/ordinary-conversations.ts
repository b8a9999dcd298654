import { BOB } from "../support/simulation/sim-people.ts";
import type { Setting, Turn } from "../support/trust/play.ts";
import { attach, bash, fetch, grep, program, read, readThread, said, search, write } from "../support/trust/steps.ts";

/** A conversation as people have it every day. */
export interface Conversation {
  readonly name: string;
  readonly setting?: Setting;
  readonly turns: readonly (Turn & { readonly cards?: Cards })[];
  /** Nothing but reading goes on, or an address is fetched that a person wrote. */
  readonly asksNobody?: true;
}

/** Cards of one turn: where text carries no labels, and where it does; none of either when left out. */
export type Cards = readonly [before: number, after: number];

const DOCS = {
  "docs.test/": "The handbook. Limits: http://docs.test/limits",
  "docs.test/limits": "At most 300 requests a minute. See http://docs.test/limits/bursts and http://api.test/v1",
  "docs.test/limits/bursts": "Bursts of 20.",
  "docs.test/search?q=limits": "1 hit: http://docs.test/limits",
  "docs.test/long": "words and words\n".repeat(4_000),
  "api.test/v1": "Version 1.",
  "blog.test/post": "How we did it. Our code: http://docs.test/",
};

const REPOSITORY = {
  "src/app.ts": "export const limit = 100;\n",
  "src/app.test.ts": "import { limit } from './app.ts';\n",
  "README.md": "An app. Its docs: http://docs.test/limits\n",
  "notes.txt": "remember the milk\n",
};

const ALERT = said("CRITICAL: 500s at /checkout since 09:12. Runbook: http://docs.test/limits");

const LISTED = ["docs.test", "api.test"];
const here: Setting = { pages: DOCS, files: REPOSITORY, allowedHosts: LISTED };
const reading: Setting = { ...here, mode: "read" };
const agi: Setting = { ...here, mode: "agi" };
const underAlert: Setting = { ...here, said: [ALERT] };

const TESTS = "grep -c limit src/app.test.ts";
/** Somebody has allowed the tests for good, days ago. */
const testsAllowed = {
  says: "run the tests",
  thread: "days ago",
  does: [bash(TESTS)],
  clicks: "A",
  cards: [1, 1],
} as const;

/** Twenty requests in one thread: look, change the same file, run the same tests. */
function twentyTurns(first: Cards, clicks: "a" | "y" = "a"): Conversation["turns"] {
  return Array.from({ length: 20 }, (_, index) => ({
    says: `step ${index + 1}`,
    does: [read("src/app.ts"), [grep("limit")], write("src/fix.ts", `// ${index}\n`), bash(TESTS)],
    clicks,
    cards: index === 0 ? first : [0, 0],
  }));
}

export const CONVERSATIONS: readonly Conversation[] = [
  {
    name: "a page that a person links is summarised",
    setting: here,
    turns: [{ says: "what does http://docs.test/limits say?", does: [fetch("http://docs.test/limits")] }],
    asksNobody: true,
  },
  {
    name: "a linked page has a query",
    setting: here,
    turns: [
      { says: "look at http://docs.test/search?q=limits", does: [fetch("http://docs.test/search?q=limits")] },
      { says: "and now?", does: [fetch("http://docs.test/search?q=limits")] },
    ],
    asksNobody: true,
  },
  {
    name: "a linked page, and what it links",
    setting: here,
    turns: [
      {
        says: "read http://docs.test/limits and what it links",
        does: [
          fetch("http://docs.test/limits"),
          [fetch("http://docs.test/limits/bursts"), fetch("http://api.test/v1")],
        ],
      },
    ],
    asksNobody: true,
  },
  {
    name: "two linked pages are compared with the code",
    setting: here,
    turns: [
      {
        says: "do http://docs.test/limits and http://api.test/v1 fit our code?",
        does: [[fetch("http://docs.test/limits"), fetch("http://api.test/v1")], read("src/app.ts"), grep("limit")],
      },
    ],
    asksNobody: true,
  },
  {
    name: "files first, then the page that the person wrote beside them",
    setting: here,
    turns: [
      {
        says: "check README.md against http://docs.test/limits",
        does: [read("README.md"), fetch("http://docs.test/limits"), fetch("http://docs.test/limits/bursts")],
      },
    ],
    asksNobody: true,
  },
  {
    name: "the web is searched, and two results are read",
    setting: here,
    turns: [
      {
        says: "how many requests does the API take?",
        does: [search("api request limits"), [fetch("http://docs.test/limits"), fetch("http://api.test/v1")]],
      },
    ],
    asksNobody: true,
  },
  {
    name: "the web is searched again after results were read",
    setting: here,
    turns: [
      {
        says: "how many requests does the API take?",
        does: [search("api request limits"), fetch("http://docs.test/limits"), search("request bursts of the api")],
      },
      { says: "and who wrote about it?", does: [search("blog post api limits"), search("author of the post")] },
    ],
    asksNobody: true,
  },
  {
    name: "a linked page of a host that is not listed",
    setting: here,
    turns: [{ says: "read http://blog.test/post", does: [fetch("http://blog.test/post")], cards: [1, 1] }],
  },
  {
    name: "after a linked page, the model guesses another address there",
    setting: here,
    turns: [
      {
        says: "read http://docs.test/limits",
        does: [fetch("http://docs.test/limits"), fetch("http://docs.test/limits/windows")],
        cards: [0, 1],
      },
    ],
  },
  {
    name: "the model guesses an address before it has read anything",
    setting: here,
    turns: [{ says: "what do our docs say of limits?", does: [fetch("http://docs.test/limits")] }],
    asksNobody: true,
  },
  {
    name: "a long page is read in parts",
    setting: here,
    turns: [
      {
        says: "summarise http://docs.test/long",
        does: [fetch("http://docs.test/long"), fetch("http://docs.test/long", 30_000)],
      },
    ],
    asksNobody: true,
  },
  {
    name: "a guessed address that was allowed is read in parts",
    setting: here,
    turns: [
      {
        says: "read http://docs.test/",
        does: [fetch("http://docs.test/"), fetch("http://docs.test/long"), fetch("http://docs.test/long", 30_000)],
        cards: [0, 1],
      },
    ],
  },
  {
    name: "the front page of a listed host, after another page",
    setting: here,
    turns: [
      { says: "read http://docs.test/limits", does: [fetch("http://docs.test/limits"), fetch("http://api.test/")] },
    ],
    asksNobody: true,
  },
  {
    name: "mode read: a linked page and files",
    setting: reading,
    turns: [
      { says: "does http://docs.test/limits hold here?", does: [fetch("http://docs.test/limits"), read("src/app.ts")] },
      { says: "and http://api.test/v1 ?", does: [fetch("http://api.test/v1")] },
    ],
    asksNobody: true,
  },
  {
    name: "mode read: a search and its results",
    setting: reading,
    turns: [
      { says: "what are the limits?", does: [search("limits"), fetch("http://docs.test/limits"), search("bursts")] },
    ],
    asksNobody: true,
  },
  {
    name: "mode read: an alert and the files it is about",
    setting: { ...reading, said: [ALERT] },
    turns: [{ says: "what is this about?", does: [readThread, grep("limit"), read("src/app.ts")] }],
    asksNobody: true,
  },
  {
    name: "an alert, its runbook and the files",
    setting: underAlert,
    turns: [
      {
        says: "what is this?",
        does: [fetch("http://docs.test/limits"), read("src/app.ts"), grep("limit")],
      },
    ],
    asksNobody: true,
  },
  {
    name: "an alert, and a page that the person writes below it",
    setting: underAlert,
    turns: [
      { says: "what is this?", does: [read("src/app.ts")] },
      { says: "http://docs.test/search?q=limits helps", does: [fetch("http://docs.test/search?q=limits")] },
    ],
    asksNobody: true,
  },
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
    name: "a file is changed and tried, each for the session",
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
    name: "tests that are always allowed run below an alert",
    setting: underAlert,
    turns: [
      { says: "run the tests", does: [bash(TESTS)], clicks: "A", cards: [1, 1] },
      { says: "again", does: [read("src/app.ts"), bash(TESTS)] },
    ],
  },
  {
    name: "what a page says goes into a file",
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
    name: "two people ask in one thread, each allows for the session",
    setting: here,
    turns: [
      { says: "run the tests", does: [bash(TESTS)], clicks: "a", cards: [1, 1] },
      { by: BOB, says: "again, please", does: [bash(TESTS)], clicks: "a", cards: [1, 1] },
      { says: "and once more", does: [bash(TESTS)] },
    ],
  },
  {
    name: "somebody remarks something before the person asks again",
    setting: here,
    turns: [
      { says: "run the tests", does: [bash(TESTS)], clicks: "a", cards: [1, 1] },
      { by: BOB, says: "I saw them fail", addressed: "none" },
      { says: "again", does: [bash(TESTS)], clicks: "a", cards: [1, 1] },
      { says: "again", does: [bash(TESTS)], clicks: "a", cards: [0, 0] },
    ],
  },
  {
    name: "somebody asked something in the thread once, and the first person goes on",
    setting: here,
    turns: [
      { says: "run the tests", does: [bash(TESTS)], clicks: "a", cards: [1, 1] },
      { by: BOB, says: "what is in notes.txt?", does: [read("notes.txt")] },
      { says: "run the tests again", does: [bash(TESTS)], clicks: "a", cards: [0, 1] },
      { says: "and again", does: [bash(TESTS)] },
    ],
  },
  {
    name: "an attached log is looked through",
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
    name: "what was said in the thread is summed up",
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
    name: "agi: two hosts are read, as a job would",
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
    name: "agi: twenty turns of coding under an alert",
    setting: { ...agi, said: [ALERT] },
    turns: twentyTurns([0, 0]),
  },
  {
    name: "agi: twenty turns of coding under an alert, and its runbook",
    setting: { ...agi, said: [ALERT] },
    turns: [{ says: "read the runbook", does: [fetch("http://docs.test/limits")] }, ...twentyTurns([0, 0])],
  },
  { name: "twenty turns of coding under an alert", setting: underAlert, turns: twentyTurns([2, 2]) },
  {
    name: "twenty turns of coding under an alert, and its runbook",
    setting: underAlert,
    turns: [{ says: "read the runbook", does: [fetch("http://docs.test/limits")] }, ...twentyTurns([2, 2])],
  },
  {
    name: "twenty turns of coding under an alert, the tests always allowed before",
    setting: underAlert,
    turns: [...twentyTurns([1, 2]), testsAllowed].toSorted(
      (a, b) => Number(b === testsAllowed) - Number(a === testsAllowed),
    ),
  },
];
