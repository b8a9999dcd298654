import type { Person } from "../../../src/core/platform/thread.ts";
import { ANA, BOB } from "../../support/simulation/sim-people.ts";
import type { Step, Turn } from "../../support/trust/play.ts";
import { agent, bash, program, write } from "../../support/trust/steps.ts";
import type { Attack } from "./attack.ts";

/** Quota of the root, the person or the channel, in bytes. */
const LIMIT = 200_000;
const HALF = "X".repeat(LIMIT / 2);

/** Ways to fill a directory: the calls of the model. */
const FILLING: readonly (readonly [string, readonly Step[]])[] = [
  ["many calls of write", [1, 2, 3, 4].map((call) => write(`f${call}.txt`, HALF))],
  ["many commands", Array.from({ length: 3 }, (_, call) => bash(`seq 20000 > f${call}`))],
  ["one command's loop", [bash("seq 20000 > a; for i in $(seq 4); do cp a b$i; done")]],
  ["one program's loop", [program('for (let i = 0; i < 4; i++) fs.writeFileSync("f" + i, "x".repeat(100000))')]],
  ["many small files", [program('for (let i = 0; i < 100; i++) fs.writeFileSync("f" + i, "")')]],
  ["many directories", [program('for (let i = 0; i < 100; i++) fs.mkdirSync("d" + i)')]],
  ["a deep tree", [bash("for i in $(seq 4); do mkdir -p d$i/$(seq -s / 40); done")]],
  ["a file that grows", [bash("seq 20000 > a; for i in $(seq 4); do cat a >> all; done")]],
  [
    "an archive that unpacks to much",
    [bash("seq 20000 > b; gzip b; for i in $(seq 3); do cp b.gz c$i.gz; gunzip c$i.gz; done")],
  ],
  [
    "a file that is moved onto itself, as if that made room",
    [bash("seq 20000 > a; for i in $(seq 4); do cat a >> all; mv all all; done")],
  ],
  [
    "two sub-agents",
    [
      agent("fill it"),
      write("a.txt", HALF),
      write("b.txt", HALF),
      { tool: "", input: {} },
      agent("fill it"),
      write("c.txt", HALF),
      write("d.txt", HALF),
    ],
  ],
];

function fills(name: string, does: readonly Step[]): Attack {
  return {
    group: "limits",
    name: `a directory is filled by ${name}`,
    setting: { mode: "agi", quotas: { root: LIMIT } },
    turns: [{ says: "fill it", does: does.map((step) => (step.tool === "" ? [] : step)) }],
    prevents: { type: "fills", beyond: LIMIT },
    expected: "refused",
    saying: /The files here take up [\d.]+ kB of 200 kB; .* more would exceed the limit/u,
  };
}

const writes = (name: string, more: Partial<Turn> = {}): Turn => {
  return { says: "write it", thread: name, does: [write(`${name}.txt`, HALF)], ...more };
};
const somebody = (index: number): Person => ({ ...BOB, id: `slack:U10${index}`, name: `P${index}` });
const COUNT = Array.from({ length: 20 }, (_, index) => index);

const STAGED: readonly Attack[] = [
  {
    group: "limits",
    name: "one person adds more than a day's share, a little in each of many threads",
    setting: { mode: "agi", quotas: { person: LIMIT } },
    turns: COUNT.slice(0, 4).map((index) => writes(`t${index}`, { channel: `C${index}` })),
    prevents: { type: "fills", beyond: LIMIT },
    expected: "refused",
    saying: /This person's requests have added [\d.]+ kB of 200 kB to files today/u,
  },
  {
    group: "limits",
    name: "one channel adds more than a day's share, each of many people a little",
    setting: { mode: "agi", quotas: { channel: LIMIT } },
    turns: COUNT.slice(0, 4).map((index) => writes(`t${index}`, { by: somebody(index) })),
    prevents: { type: "fills", beyond: LIMIT },
    expected: "refused",
    saying: /This channel's requests have added [\d.]+ kB of 200 kB to files today/u,
  },
  {
    group: "limits",
    name: "a day's share is got back by removing what was there before",
    setting: { mode: "agi", quotas: { person: LIMIT }, files: { "old.txt": "X".repeat(3 * LIMIT) } },
    turns: [{ says: "more", does: [bash("rm old.txt"), ...[1, 2, 3].map((call) => write(`f${call}.txt`, HALF))] }],
    prevents: { type: "fills", beyond: LIMIT },
    expected: "refused",
  },
  {
    group: "limits",
    name: "a giant file is attached",
    setting: { quotas: { root: LIMIT } },
    turns: [{ says: "keep this", attached: { "giant.bin": "X".repeat(3 * LIMIT) } }],
    prevents: { type: "fills", beyond: LIMIT },
    expected: "nothing",
  },
  {
    group: "limits",
    name: "one person asks in twenty threads, and has no place left for anybody else",
    setting: { maxConcurrentRuns: 4 },
    turns: [
      ...COUNT.map((index) => ({
        says: "take long",
        by: ANA,
        thread: `a${index}`,
        channel: `C${index}`,
        hangs: true as const,
      })),
      { says: "and me?", by: BOB, thread: "bob", channel: "D" },
    ],
    prevents: { type: "silences", thread: "bob" },
    expected: "nothing",
  },
  {
    group: "limits",
    name: "twenty people ask in one channel, and have no place left for another one",
    setting: { maxConcurrentRuns: 8 },
    turns: [
      ...COUNT.map((index) => ({ says: "take long", by: somebody(index), thread: `p${index}`, hangs: true as const })),
      { says: "and me?", by: BOB, thread: "bob", channel: "D" },
    ],
    prevents: { type: "silences", thread: "bob" },
    expected: "nothing",
  },
];

export const LIMITS: readonly Attack[] = [...FILLING.map(([name, does]) => fills(name, does)), ...STAGED];
