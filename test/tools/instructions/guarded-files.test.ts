import { mkdirSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSandbox } from "../../../src/tools/wasm/sandbox.ts";
import { buildGuests, SANDBOX_CHILD } from "../../support/program/built.ts";
import { fileSession, text } from "../file-session.ts";

const guardedFiles = ["deploy", "infra/*.tf", "charts/", "a*b*b"];
const sandbox = createSandbox({ ...SANDBOX_CHILD, guardedFiles });
beforeAll(() => buildGuests());
afterAll(() => sandbox.close());

const files = [
  { file: "deploy", guarded: true },
  { file: "apps/one/Deploy/run.sh", guarded: true },
  { file: "infra/main.tf", guarded: true },
  { file: "infra/MAIN.TF", guarded: true },
  { file: "infra/modules/main.tf", guarded: false },
  { file: "other/infra/main.tf", guarded: false },
  { file: "infra/main_tf", guarded: false },
  { file: "charts/web/values.yaml", guarded: true },
  { file: "deployment.md", guarded: false },
  { file: "x/abb", guarded: true },
  { file: "x/a-b-b-b", guarded: true },
  { file: "x/ab", guarded: false },
  { file: "x/abbc", guarded: false },
];

test.each(files)(
  "changing $file needs a person's decision in each mode and by each tool: $guarded",
  async ({ file, guarded }) => {
    const session = fileSession(sandbox);
    const place = { mode: "agi", sandboxRoot: session.root, allowedHosts: [], blockedUrls: [] } as const;
    const rule = session.tool("write").rule?.({ path: file, content: "x" }, place);
    expect(rule ?? null).toEqual(guarded ? expect.objectContaining({ type: "ask", always: true }) : null);
    mkdirSync(path.dirname(path.join(session.root, file)), { recursive: true });
    const results = [
      await session.run("write", { path: file, content: "x" }),
      await session.run("bash", { command: `echo x > ${file}` }),
      await session.run("js_exec", { code: `fs.writeFileSync("${file}", "x")`, hosts: [] }),
    ];
    const refused = results.map((result) =>
      text(result).includes("instructs agents or machines, or the settings guard it"),
    );
    expect(refused).toEqual([guarded, guarded, guarded]);
  },
);

test("a change that a person approved is written", async () => {
  const session = fileSession(sandbox, { context: { approved: true } });
  expect((await session.run("write", { path: "deploy", content: "x" })).isError).toBe(false);
  expect(session.bytes("deploy").toString()).toBe("x");
});

test("without settings no further files are guarded", async () => {
  const plain = createSandbox(SANDBOX_CHILD);
  const session = fileSession(plain);
  expect((await session.run("write", { path: "deploy", content: "x" })).isError).toBe(false);
  await plain.close();
});
