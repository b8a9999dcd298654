#!/usr/bin/env node
import { requireNode } from "../src/cli/node-version.mjs";

requireNode();
await import("../src/main.ts");
