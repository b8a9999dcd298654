import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { createProgram } from "../../src/cli/program.ts";
import type { Config } from "../../src/config.ts";
import { SUBCOMMANDS } from "../../src/features/subcommands.ts";
import { runCli } from "../support/program/cli.ts";
import { tempDirectory } from "../support/temp-directory.ts";

test("--help lists every command with its purpose", () => {
  const program = createProgram({
    version: "1.2.3",
    root: "/",
    sources: { env: {}, cwd: "/" },
    terminal: { out: () => undefined, error: () => undefined, fail: () => undefined },
    chatCommands: () => Promise.resolve([]),
    start: () => Promise.resolve(),
    features: () => Promise.resolve([]),
    stdin: process.stdin,
    chat: () => Promise.resolve(),
    subcommands: SUBCOMMANDS,
    subcommandWorld: () => Promise.reject(new Error("nothing is carried out")),
    webLink: () => Promise.resolve(null),
    drain: () => Promise.resolve(),
    isRunning: () => Promise.resolve(false),
    onCurrentStore: (_config, use) => use(null),
    withStored: (config) =>
      Promise.resolve({ config, pageAgents: { texts: new Map() }, pageSkills: new Map(), problems: [] }),
  });
  const help = program.helpInformation();
  for (const name of ["start", "chat", "memory", "doctor", "init", "manifest", "drain"])
    expect(help).toMatch(new RegExp(`^  ${name}\\b`, "m"));
  const all = program.commands.flatMap((command) => [command, ...command.commands]);
  expect(all.filter((command) => command.description() === "").map((command) => command.name())).toEqual([]);
});

test("--version prints the version", async () => {
  expect(await runCli(["--version"])).toMatchObject({ out: "1.2.3" });
});

test("start is the default command and receives the configuration", async () => {
  const started: Config[] = [];
  const result = await runCli([], { env: { PORT: "0" }, start: (config) => started.push(config) });
  expect(result).toMatchObject({ error: "", failed: false });
  expect(started.map((config) => config.web.port)).toEqual([0]);
});

test("an invalid configuration is reported with one line per problem, and nothing starts", async () => {
  const started: Config[] = [];
  const result = await runCli(["start"], {
    env: { PORT: "x", SLACK_BOT_TOKEN: "xoxb-1" },
    start: (config) => started.push(config),
  });
  expect(result.failed).toBe(true);
  expect(result.error.split("\n").map((line) => line.slice(0, 10))).toEqual(["✗ SLACK_BO", "✗ PORT: mu"]);
  expect(started).toEqual([]);
});

test("an unknown command gets a suggestion", async () => {
  const result = await runCli(["docter"]);
  expect(result.error).toContain('There is no command "docter". Did you mean "doctor"?');
  expect(result.failed).toBe(true);
});

test.each([
  { args: ["--nope"], line: "✗ unknown option '--nope'" },
  { args: ["manifest", "teams"], line: "✗ unknown command 'teams'" },
  { args: ["init", "x"], line: "✗ too many arguments for 'init'. Expected 0 arguments but got 1: x." },
])("$args is refused with a message in the usual format", async ({ args, line }) => {
  expect(await runCli(args)).toMatchObject({ error: line, failed: true });
});

test("init writes both files once and never overwrites", async () => {
  const cwd = tempDirectory();
  const first = await runCli(["init"], { cwd });
  expect(first.out).toContain("✓ deckhand.config.json written\n✓ .env written");
  const settings = readFileSync(path.join(cwd, "deckhand.config.json"), "utf8");
  expect(JSON.parse(settings)).toHaveProperty("//model");
  expect(readFileSync(path.join(cwd, ".env"), "utf8")).toContain("#SLACK_BOT_TOKEN=");

  writeFileSync(path.join(cwd, ".env"), "PORT=0\n");
  writeFileSync(path.join(cwd, "deckhand.config.json"), "{}");
  const second = await runCli(["init"], { cwd });
  expect(second.out).toContain(
    "✓ deckhand.config.json already exists and was not changed\n✓ .env already exists and was not changed",
  );
  expect(readFileSync(path.join(cwd, ".env"), "utf8")).toBe("PORT=0\n");
  expect(readFileSync(path.join(cwd, "deckhand.config.json"), "utf8")).toBe("{}");
});

test("init writes a valid configuration", async () => {
  const cwd = tempDirectory();
  await runCli(["init"], { cwd });
  const started: Config[] = [];
  const result = await runCli(["start"], { cwd, start: (config) => started.push(config) });
  expect(result.error).toBe("");
  expect(started.map((config) => config.query.mode)).toEqual(["write"]);
});

test("init fails with a clear message if it cannot write", async () => {
  const cwd = path.join(tempDirectory(), "missing");
  const { error, failed } = await runCli(["init"], { cwd });
  expect(error).toBe(`✗ ${cwd}/deckhand.config.json cannot be written (ENOENT). Give this user write permission.`);
  expect(failed).toBe(true);
});

test.runIf(process.platform !== "win32")("init leaves no partial file on a full disk", () => {
  const cwd = tempDirectory();
  const say = `{ out: console.log, error: console.log, fail() {} }`;
  const script = `import { init } from "./src/cli/init.ts"; init(".", ${JSON.stringify(cwd)}, ${say});`;
  const limited = `trap '' XFSZ; ulimit -f 0; exec "$0" --input-type=module -e "$1"`;
  const { stdout } = spawnSync("sh", ["-c", limited, process.execPath, script], { encoding: "utf8" });
  expect(stdout).toContain("deckhand.config.json cannot be written (EFBIG).");
  expect(readdirSync(cwd)).toEqual([]);
});

test("web-link prints an address with a one-time token, and says when it cannot", async () => {
  const cwd = tempDirectory();
  const first = await runCli(["web-link"], { cwd, env: { PORT: "3123" } });
  const second = await runCli(["web-link"], { cwd, env: { PORT: "3123" } });
  expect(first.out).toMatch(/^http:\/\/127\.0\.0\.1:3123\/\?token=\S{40,}$/u);
  expect(second.out).not.toBe(first.out);
  expect(first.out).not.toContain(readFileSync(path.join(cwd, "data/web-token"), "utf8").trim());
  expect(first.error).toBe(
    `⚠ No Deckhand with the home directory ${cwd}/data answers at 127.0.0.1:3123. Start it, then print a new link: this one may not work.`,
  );
  const blocked = await runCli(["web-link"], { cwd, env: { PORT: "3123", DECKHAND_HOME: "/proc/x" } });
  expect(blocked).toMatchObject({ out: "", error: expect.stringMatching(/^✗ DECKHAND_HOME: /u), failed: true });
  const none = await runCli(["web-link"], { cwd, env: { PORT: "0" } });
  expect(none.failed).toBe(true);
  expect(none.error).toContain("PORT is 0");
});

test("--password-stdin never prompts, even at a terminal", async () => {
  const cwd = tempDirectory();
  const run = (...args: string[]) =>
    runCli(["user", ...args], {
      cwd,
      stdin: Object.assign(Readable.from(["correct horse staple\nmore\n"]), { isTTY: true }),
    });
  expect(await run("add", "ana", "--role", "admin", "--password-stdin")).toMatchObject({ error: "", failed: false });
  expect(await run("passwd", "ana", "--password-stdin")).toMatchObject({ error: "", failed: false });
  expect((await run("list")).out).toBe("ana · admin · never signed in");
});

test.each([
  { args: ["user", "list"], says: "cannot be opened (ELOOP)" },
  { args: ["settings"], says: "cannot be opened (ELOOP)" },
])("an unreachable database is reported as such, and not as missing: $args", async ({ args, says }) => {
  const cwd = tempDirectory();
  symlinkSync("loop", path.join(cwd, "loop"));
  const { out, error, failed } = await runCli(args, { cwd, env: { DATABASE_URL: "file:./loop/deckhand.db" } });
  expect({ out, error, failed }).toEqual({ out: "", error: expect.stringContaining(says), failed: true });
});
