import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { bindingsOf } from "../src/tools/extensions/bindings.ts";

/** Makes the bindings of the tools that come with the program, so that no start has to. Runs in `postinstall`. */

const build = path.resolve(import.meta.dirname, "../build");
const manifestSchema = z.object({ sha256: z.string(), component: z.string().default("component.wasm") });

const folders = await readdir(path.join(build, "tools"), { withFileTypes: true });
for (const { name } of folders.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))) {
  const folder = path.join(build, "tools", name);
  const { sha256, component } = manifestSchema.parse(
    JSON.parse(await readFile(path.join(folder, "tool.json"), "utf8")),
  );
  await bindingsOf({ file: path.join(folder, component), sha256 }, { cacheDir: path.join(build, "tool-bindings") });
}
