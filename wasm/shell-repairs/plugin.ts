import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";
import { BUILTIN_REPAIRS } from "./builtins.ts";
import { COMMAND_REPAIRS } from "./commands.ts";
import { ERROR_REPAIRS } from "./errors.ts";
import { EXPANSION_REPAIRS } from "./expansion.ts";
import { INTERPRETER_REPAIRS } from "./interpreter.ts";
import { LOCALE_REPAIRS } from "./locale.ts";
import { OUTPUT_REPAIRS } from "./output.ts";
import { PARSER_REPAIRS } from "./parser.ts";
import { withoutReplaced } from "./replaced.ts";
import { SPEED_REPAIRS } from "./speed.ts";
import { VARIABLE_REPAIRS } from "./variables.ts";

/** The module of functions that the patches call. */
const REPAIRS = fileURLToPath(import.meta.resolve("../guests/bash/repairs.ts"));

const REPAIRS_IN_ORDER = [
  ...PARSER_REPAIRS,
  ...INTERPRETER_REPAIRS,
  ...OUTPUT_REPAIRS,
  ...VARIABLE_REPAIRS,
  ...BUILTIN_REPAIRS,
  ...EXPANSION_REPAIRS,
  ...COMMAND_REPAIRS,
  ...ERROR_REPAIRS,
  ...SPEED_REPAIRS,
  ...LOCALE_REPAIRS,
];

export const REPAIRED_SHELL: Plugin = {
  name: "repaired-shell",
  setup: (bundle) =>
    bundle.onLoad({ filter: /just-bash[/\\]dist[/\\]bundle[/\\]browser\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, "utf8");
      for (const [why, code, instead] of REPAIRS_IN_ORDER) {
        if (contents.match(code)?.length !== 1)
          throw new Error(`just-bash has changed, and this patch no longer fits: ${why}`);
        contents = typeof instead === "string" ? contents.replace(code, instead) : contents.replace(code, instead);
      }
      return { contents: `import * as repairs from ${JSON.stringify(REPAIRS)};${withoutReplaced(contents)}` };
    }),
};
