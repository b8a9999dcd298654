import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";

/** The directory of the program: package.json, extensions and what is built. */
export const APPLICATION = path.resolve(import.meta.dirname, "..");

/** As package.json has it. */
export const VERSION = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(path.join(APPLICATION, "package.json"), "utf8"))).version;
