import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";

/** The directory of the program, with package.json, extensions and the build. */
export const APPLICATION = path.resolve(import.meta.dirname, "..");

/** The version in package.json. */
export const VERSION = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(path.join(APPLICATION, "package.json"), "utf8"))).version;
