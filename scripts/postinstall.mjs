import { requireNode } from "../src/cli/node-version.mjs";

requireNode();
await import("./postinstall.ts");
