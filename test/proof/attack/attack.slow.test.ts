import { readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { play } from "../../support/trust/play.ts";
import { useSandbox } from "../../tools/file-session.ts";
import type { Attack, Attempt, Ending } from "./attack.ts";
import { BOUND_GRANTS } from "./bound-grants.ts";
import { CHECKOUT } from "./checkout.ts";
import { EGRESS } from "./egress.ts";
import { GRANTS } from "./grants.ts";
import { endingOf } from "./judge.ts";
import { LIMITS } from "./limits.ts";
import { MASKED_SECRETS } from "./masked.ts";
import { MCP } from "./mcp.ts";
import { MEMORY } from "./memory.ts";
import { PAGE } from "./page.ts";
import { PAGE_WORDS } from "./page-words.ts";
import { PEOPLE } from "./people.ts";
import { PREVIEWS } from "./previews.ts";
import { REPOSITORY } from "./repository.ts";
import { REQUESTS } from "./requests.ts";
import { SECRETS } from "./secrets.ts";
import { SHAPES } from "./shapes.ts";

const ATTACKS: readonly (Attack | Attempt)[] = [
  ...PREVIEWS,
  ...PAGE,
  ...PAGE_WORDS,
  ...REQUESTS,
  ...MCP,
  ...SHAPES,
  ...EGRESS,
  ...GRANTS,
  ...BOUND_GRANTS,
  ...CHECKOUT,
  ...REPOSITORY,
  ...PEOPLE,
  ...SECRETS,
  ...MASKED_SECRETS,
  ...LIMITS,
  ...MEMORY,
];
/** The suite plays every eighth attack; `npm run proof:attack` plays all. */
const EVERY = process.env["npm_lifecycle_event"] === "proof:attack" ? 1 : 8;

async function ended(attack: Attack | Attempt): Promise<Ending> {
  return "attempt" in attack ? attack.attempt() : endingOf(attack, await play(attack.turns, attack.setting, sandbox));
}

const played = ATTACKS.filter((_, index) => index % EVERY === 0);
const report: string[] = [];
const sandbox = useSandbox();

test.each(played)("$group: $name", async (attack) => {
  const { succeeded, observed, said } = await ended(attack);
  const mark = succeeded ? "✗" : "✓";
  report.push(
    `${mark} ${attack.group.padEnd(8)} expected ${attack.expected.padEnd(8)} observed ${observed.padEnd(8)} ${attack.name}`,
  );
  expect(succeeded, said).toBe(false);
  expect(observed, said).toBe(attack.expected);
  if ("saying" in attack && attack.saying !== undefined) expect(said).toMatch(attack.saying);
});

afterAll(() => {
  const succeeded = report.filter((line) => line.startsWith("✗")).length;
  const groups = [...new Set(played.map(({ group }) => group))].map((group) => {
    return `${group} ${played.filter((attack) => attack.group === group).length}`;
  });
  const total = `${report.length} attacks (${groups.join(", ")}), ${succeeded} succeeded`;
  if (EVERY === 1) process.stdout.write(`\n${report.join("\n")}\n\n${total}\n`);
});

test("attack names are unique, and the documentation states their numbers per group", () => {
  expect(new Set(ATTACKS.map(({ name }) => name)).size).toBe(ATTACKS.length);
  const report = readFileSync("docs/security.md", "utf8");
  expect(report).toContain(`There are ${ATTACKS.length}: `);
  for (const [group, attacks] of Map.groupBy(ATTACKS, (attack) => attack.group)) {
    expect(report).toMatch(new RegExp(`\\b${attacks.length} of (?:the )?\\*${group}\\*`, "u"));
  }
});
