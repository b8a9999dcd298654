import path from "node:path";
import { buildPage } from "../../src/adapters/web/build-page.ts";
import { PAGE_DIRECTORY } from "../../src/adapters/web/server/page-directory.ts";
import { removeUnfinished, replaceFolder } from "../../wasm/build-folder.ts";

/** Builds the web page for the server. */

await removeUnfinished(path.dirname(PAGE_DIRECTORY));
await replaceFolder(PAGE_DIRECTORY, { fill: buildPage, isCurrent: () => false });
