import { copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Bundles the page's source into files that the server serves as they are. Takes a tenth of a second. */
export async function buildPage(directory: string): Promise<void> {
  const source = fileURLToPath(new URL("page", import.meta.url));
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const bundled = (names: readonly string[], splitting: boolean) =>
    build({
      entryPoints: names.map((name) => join(source, name)),
      outdir: directory,
      bundle: true,
      splitting,
      minify: true,
      format: "esm",
      target: "es2022",
      jsx: "automatic",
      jsxImportSource: "preact",
      legalComments: "linked",
      logLevel: "warning",
    });
  // The page loads its rarely used parts on demand. The login pages must be single files, as access control admits no
  // others.
  await bundled(["page.tsx", "page.css"], true);
  await bundled(["login.ts", "login.css"], false);
  for (const name of ["index.html", "icon.svg"]) await copyFile(join(source, name), join(directory, name));
}
