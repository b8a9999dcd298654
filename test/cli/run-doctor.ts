import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type CliGiven, runCli } from "../support/program/cli.ts";
import { tempDirectory } from "../support/temp-directory.ts";

/** Makes a project in which everything is built. */
function builtProject(): string {
  const root = tempDirectory();
  const files = [
    "prisma/sqlite/generated/client.ts",
    "prisma/postgresql/generated/client.ts",
    "build/wasm/files/build.json",
    "build/web/index.html",
  ];
  for (const file of files) {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(root, file), "");
  }
  return root;
}

/** Runs the command, by default in a project in which everything is built. */
export async function doctor(given: CliGiven = {}): Promise<{ lines: string[]; failed: boolean }> {
  const { out, failed } = await runCli(["doctor"], {
    root: builtProject(),
    ...given,
    env: { PORT: "0", ...given.env },
  });
  return { lines: out.split("\n"), failed };
}
