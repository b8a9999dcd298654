import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { USUAL_TIERING } from "../../src/core/store/database/late-tiering.ts";
import { codeFile, exportsOf, loadScript } from "../../src/launch/compiled-start.mjs";
import { BUILT_PROGRAM } from "../../src/launch/steps.mjs";

/**
 * Starts the built program as bin/deckhand.mjs does, in an empty home; converses with it; and saves what V8 has
 * compiled by then, so that later starts by this user need not compile it again. If the machine is too busy to finish
 * in time, nothing is saved, and starts load the modules of the bundle.
 */

const root = path.resolve(import.meta.dirname, "../..");
const target = codeFile(root);

/** Limit for a start in milliseconds; it takes a second on an idle machine. */
const LISTENS_WITHIN_MS = 60_000;
const LOOK_AGAIN_MS = 50;
/** Limit for a conversation in milliseconds. */
const ANSWER_WITHIN_MS = 20_000;

/** Messages for the scripted demo model, which use the tools and the guests that run them. */
const WORDS = [
  "create notes.txt with port = 8080",
  "change port to 9090 in notes.txt",
  "run: [1, 2, 3].map(x => x * x)",
];

/** Variables to keep. All others belong to whoever builds: keys, platforms, a database. */
const KEPT = /^(?:PATH|LD_LIBRARY_PATH|TMPDIR|TEMP|TMP|SystemRoot|TZ|LANG|LC_\w+)$/;

const home = mkdtempSync(path.join(tmpdir(), "deckhand-build-"));
process.once("exit", () => rmSync(home, { recursive: true, force: true }));
for (const name of Object.keys(process.env)) if (!KEPT.test(name)) delete process.env[name];
const port = await freePort();
const nowhere = `http://127.0.0.1:${await freePort()}`;
const here = { HOME: home, USERPROFILE: home, PORT: String(port), DECKHAND_MODEL: "demo/scripted" };
// Platforms and providers that are loaded but unreachable.
const away = {
  ANTHROPIC_API_KEY: "none",
  ANTHROPIC_BASE_URL: nowhere,
  SLACK_BOT_TOKEN: "xoxb-none",
  SLACK_APP_TOKEN: "xapp-none",
  SLACK_API_URL: `${nowhere}/api/`,
  DISCORD_TOKEN: "none",
  DISCORD_API_URL: `${nowhere}/api`,
};
Object.assign(process.env, here, away);
process.chdir(home);
writeFileSync("deckhand.config.json", JSON.stringify({ mode: "agi" }));
process.argv.splice(2);

const script = loadScript(root);
// A program that does not start is a matter for its tests; the build succeeds all the same.
const ended = exportsOf(root, script)
  .runCommandLine()
  .then(() => keepNothing("The program ended by itself"));
await Promise.race([ended, listens()]);
for (const words of WORDS) await say(words);
// Reset the flags that a running program sets: it must match the state at a start.
setFlagsFromString("--no-expose-gc");
setFlagsFromString(USUAL_TIERING);
if (codeFile(root) === target) writeFileSync(target, script.createCachedData());
else keepNothing("The program runs with other flags than it begins with");
process.exit();

function keepNothing(why: string): never {
  console.error(`${why}: nothing that it compiles is kept.`);
  process.exit(0);
}

async function listens(): Promise<void> {
  const limit = AbortSignal.timeout(LISTENS_WITHIN_MS);
  while (!limit.aborted) {
    const status = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return;
    await sleep(LOOK_AGAIN_MS);
  }
  keepNothing("The program did not listen in time");
}

/** Sends one message. A failure is printed and leaves that part of the program uncompiled. */
async function say(words: string): Promise<void> {
  const chat = [path.join(root, BUILT_PROGRAM, "main.js"), "chat", words];
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, USERPROFILE: home };
  const said = promisify(execFile)(process.execPath, chat, { cwd: home, env, timeout: ANSWER_WITHIN_MS });
  said.child.stdin?.end();
  await said.catch((error: unknown) => console.error(error));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
