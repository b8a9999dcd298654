#!/usr/bin/env node
import { requireNode } from "../src/cli/node-version.mjs";

requireNode();
try {
  await import("../src/main.ts");
} catch (error) {
  if (error?.code !== "ERR_MODULE_NOT_FOUND" || !error.message.startsWith("Cannot find package")) throw error;
  process.stderr.write(
    `Deckhand is not installed yet (${error.message.split(" imported")[0]}). Run \`npm ci\` first.\n`,
  );
  process.exit(1);
}
