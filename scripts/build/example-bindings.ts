import { chmod, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { bindingsOf } from "../../src/features/extensions/bindings.ts";
import { removeUnfinished } from "../../wasm/build-folder.ts";

/** Makes the bindings of the shipped tools, so that no start has to. */

const build = path.resolve(import.meta.dirname, "../../build");
const manifestSchema = z.object({ sha256: z.string(), component: z.string().default("component.wasm") });
const cacheDir = path.join(build, "tool-bindings");

await removeUnfinished(cacheDir);
const folders = await readdir(path.join(build, "tools"), { withFileTypes: true });
for (const { name } of folders.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))) {
  const folder = path.join(build, "tools", name);
  const { sha256, component } = manifestSchema.parse(
    JSON.parse(await readFile(path.join(folder, "tool.json"), "utf8")),
  );
  const { directory } = await bindingsOf({ file: path.join(folder, component), sha256 }, { cacheDir });
  await chmod(directory, 0o755); // the user who installs the program may not be the one who runs it
}
