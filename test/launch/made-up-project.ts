import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { Step } from "../../src/launch/steps.mjs";
import { tempDirectory } from "../support/temp-directory.ts";

/**
 * A project of two parts, the second made from the first. Each part is made by a process that reports to the test once
 * half is written, and writes the rest when the test lets it.
 */
export interface MadeUpProject {
  readonly root: string;
  write(file: string, content: string): void;
  read(file: string): string;
  /** Starts a build in a process of its own. */
  build(options?: BuildOptions): Builder;
  /** The next step that begins; each step is returned once, in order. */
  nextStep(): Promise<StepAtWork>;
  /** Lets all steps run from now on; returns the names of those that have begun since the last call. */
  letGo(): readonly string[];
}

export interface BuildOptions {
  readonly user?: number;
  readonly atOnce?: number;
}

export interface StepAtWork {
  readonly name: string;
  /** Resolves once the step's process is gone. */
  readonly gone: Promise<unknown>;
  finish(): void;
}

export interface Builder {
  readonly pid: number;
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>;
  /** Resolves once the build has printed these words. */
  printed(words: string): Promise<void>;
}

const MAKE = `
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { connect } from "node:net";
const [name, input, artefact, port] = process.argv.slice(2);
const content = readFileSync(input, "utf8");
if (content.includes("broken")) { console.error("no such colour"); process.exit(3); }
mkdirSync("build", { recursive: true });
writeFileSync(artefact, "half");
const test = connect(Number(port), "127.0.0.1", () => test.write(name));
test.once("data", () => { writeFileSync(artefact, name + " of " + content); process.exit(); });`;

const BUILDER = path.join(import.meta.dirname, "build-project.ts");

export async function madeUpProject(): Promise<MadeUpProject> {
  const root = tempDirectory();
  const write = (file: string, content: string) => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), content);
  };
  const { port, nextStep, letGo } = await gate();
  const step = (name: string, after: readonly string[]): Step => ({
    name,
    tool: "tool",
    commands: [["make.mjs", name, `${name}.txt`, `build/${name}`, `${port}`]],
    inputs: [`${name}.txt`],
    artefact: `build/${name}`,
    after,
  });
  write("steps.json", JSON.stringify([step("hull", []), step("mast", ["hull"])]));
  write("make.mjs", MAKE);
  write("node_modules/tool/package.json", "{}");
  write("node_modules/.package-lock.json", "one");
  write("hull.txt", "oak");
  write("mast.txt", "fir");
  return {
    root,
    write,
    read: (file) => readFileSync(path.join(root, file), "utf8"),
    build: (options = {}) => startBuild(root, options),
    nextStep,
    letGo,
  };
}

function startBuild(root: string, options: BuildOptions): Builder {
  const args = [BUILDER, root, JSON.stringify(options)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const output = text(child.stdout);
  const exited = once(child, "exit");
  return {
    pid: child.pid ?? -1,
    ended: exited.then(async ([code]) => ({ code, output: await output })),
    async printed(words) {
      let said = "";
      while (!said.includes(words)) said += String((await once(child.stdout, "data"))[0]);
    },
  };
}

/** The server to which the steps report. */
async function gate() {
  const begun: StepAtWork[] = [];
  let names: string[] = [];
  let isOpen = false;
  let wake = () => {};
  const server = createServer((socket: Socket) => {
    socket.on("error", () => {}); // The step's process is gone, which "close" reports.
    const gone = once(socket, "close");
    socket.once("data", (name) => {
      names.push(String(name));
      if (isOpen) socket.write("go");
      else begun.push({ name: String(name), gone, finish: () => socket.write("go") });
      wake();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    nextStep: async (): Promise<StepAtWork> => {
      for (;;) {
        const step = begun.shift();
        if (step !== undefined) return step;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    letGo: (): readonly string[] => {
      isOpen = true;
      for (const step of begun.splice(0)) step.finish();
      const since = names;
      names = [];
      return since;
    },
  };
}
