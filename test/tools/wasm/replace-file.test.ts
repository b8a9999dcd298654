import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openDirectory } from "../../../src/tools/wasm/workspace/directory.ts";
import { PathResolver } from "../../../src/tools/wasm/workspace/path-resolver.ts";
import { replaceFile } from "../../../src/tools/wasm/workspace/replace-file.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

const source = (name: string): string => JSON.stringify(path.resolve(`src/tools/wasm/workspace/${name}.ts`));

const UNSHARE = "/usr/bin/unshare";
/** Whether the tests may create a namespace; giving a file another owner also requires the superuser. */
const canMount = spawnSync(UNSHARE, ["-U", "-r", "-m", "true"]).status === 0;
const canConfine = canMount && process.getuid?.() === 0;

test.runIf(canConfine)("a confined process can replace a file whose owner it cannot map", () => {
  const root = tempDirectory();
  const file = path.join(root, "f.txt");
  writeFileSync(file, "old");
  chmodSync(file, 0o666);
  chownSync(file, 12_345, 12_345);
  const script = `
    import { PathResolver } from ${source("path-resolver")};
    import { hashOf } from ${source("read-file")};
    import { replaceFile } from ${source("replace-file")};
    replaceFile(new PathResolver(${JSON.stringify(root)}).find("f.txt"), "f.txt", { content: "new", before: hashOf("old") });`;
  execFileSync(UNSHARE, ["-U", "-r", process.execPath, "--input-type=module", "-e", script]);
  expect(readFileSync(file, "utf8")).toBe("new");
});

test.runIf(canMount)("a file partially written on a full disk is reported as changed", () => {
  const root = tempDirectory();
  const script = `
    import { readFileSync, writeFileSync } from "node:fs";
    import { createWorkspace } from ${source("workspace")};
    writeFileSync("f.txt", "old");
    const workspace = createWorkspace();
    const changed = (files) => console.log(files.map(({ path }) => path).join());
    workspace.bind({ root: ".", writable: true }, { changed });
    try { workspace.filesystem.writeFile("f.txt", "new".repeat(50_000), false); } catch ({ payload }) { console.log(payload.code); }
    console.log(readFileSync("f.txt").length);`;
  const mounted = 'mount -t tmpfs -o size=64k tmpfs "$1" && cd "$1" && exec "$0" --input-type=module -e "$2"';
  const command = ["-U", "-r", "-m", "/bin/sh", "-c", mounted, process.execPath, root, script];
  expect(execFileSync(UNSHARE, command, { encoding: "utf8" })).toBe("f.txt\nENOSPC\n65536\n");
});

test.runIf(process.platform === "linux")("files can be written on a file system that cannot verify names", () => {
  const root = tempDirectory();
  /** `/proc` is such a file system. */
  using resolver = new PathResolver(root, (...place) => {
    const directory = openDirectory(...place);
    return { ...directory, at: (name) => (name === "." ? "/proc/self/task" : directory.at(name)) };
  });
  replaceFile(resolver.find("f.txt"), "f.txt", { content: "new", before: null });
  expect(readFileSync(path.join(root, "f.txt"), "utf8")).toBe("new");
});
