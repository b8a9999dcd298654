import { afterAll, expect, test } from "vitest";
import { play } from "../../support/trust/play.ts";
import { useSandbox } from "../../tools/file-session.ts";
import { BOUND_GRANTS } from "./bound-grants.ts";
import { CHECKOUT } from "./checkout.ts";
import { EGRESS } from "./egress.ts";
import { GRANTS } from "./grants.ts";
import { endingOf } from "./judge.ts";
import { LIMITS } from "./limits.ts";
import { MASKED_SECRETS } from "./masked.ts";
import { MCP } from "./mcp.ts";
import { PEOPLE } from "./people.ts";
import { REPOSITORY } from "./repository.ts";
import { SECRETS } from "./secrets.ts";

const ATTACKS = [
  ...MCP,
  ...EGRESS,
  ...GRANTS,
  ...BOUND_GRANTS,
  ...CHECKOUT,
  ...REPOSITORY,
  ...PEOPLE,
  ...SECRETS,
  ...MASKED_SECRETS,
  ...LIMITS,
];
/** One in so many is played where `npm run proof:attack` does not ask for the whole. */
const EVERY = process.env["npm_lifecycle_event"] === "proof:attack" ? 1 : 4;

const played = ATTACKS.filter((_, index) => index % EVERY === 0);
const report: string[] = [];
const sandbox = useSandbox();

test.each(played)("$group: $name", async (attack) => {
  const { succeeded, observed, said } = endingOf(attack, await play(attack.turns, attack.setting, sandbox));
  const mark = succeeded ? "✗" : "✓";
  report.push(
    `${mark} ${attack.group.padEnd(8)} expected ${attack.expected.padEnd(8)} observed ${observed.padEnd(8)} ${attack.name}`,
  );
  expect(succeeded, said).toBe(false);
  expect(observed, said).toBe(attack.expected);
  if (attack.saying !== undefined) expect(said).toMatch(attack.saying);
});

afterAll(() => {
  const succeeded = report.filter((line) => line.startsWith("✗")).length;
  if (EVERY === 1) process.stdout.write(`\n${report.join("\n")}\n\n${report.length} attacks, ${succeeded} succeeded\n`);
});

test("each attack is another one", () => {
  expect(new Set(ATTACKS.map(({ name }) => name)).size).toBe(ATTACKS.length);
  expect(ATTACKS.length).toBeGreaterThanOrEqual(219);
});
