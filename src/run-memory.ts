import type { MemoryRequest } from "./cli/memory.ts";
import { startupErrorLines } from "./cli/startup-error.ts";
import type { Terminal } from "./cli/terminal.ts";
import type { Config } from "./config.ts";
import { assertNever } from "./core/protocol/assert-never.ts";
import { toAppError } from "./core/protocol/errors.ts";
import { systemCode } from "./core/protocol/system-code.ts";
import { openStore } from "./core/store/store.ts";
import { exportAll, importFile, searchBatch, searchOne, tellStats } from "./features/memory/command-line.ts";
import { indexMissing } from "./features/memory/search/reindex.ts";
import { systemRuntime } from "./runtime.ts";

/** `deckhand memory`: works on the database itself, beside a running program or without one. */
export async function runMemory(config: Config, request: MemoryRequest, terminal: Terminal): Promise<void> {
  const runtime = systemRuntime();
  try {
    await using parts = new AsyncDisposableStack();
    const store = await openStore(config.database.url, runtime);
    parts.defer(() => store.close());
    // What a former version has written is found here too.
    if (request.type !== "import") await indexMissing(store, AbortSignal.any([]));
    const database = config.database.url.startsWith("file:") ? "sqlite" : "postgresql";
    await carryOut(request, { store, runtime, database, out: (line) => terminal.out(line) });
  } catch (error) {
    for (const line of linesOf(error, request)) terminal.error(line);
    terminal.fail();
  }
}

function carryOut(request: MemoryRequest, world: Parameters<typeof importFile>[1]): Promise<void> {
  switch (request.type) {
    case "import":
      return importFile(request.file, world);
    case "export":
      return exportAll(request.scope, world);
    case "stats":
      return tellStats(world);
    case "batch":
      return searchBatch(request, world);
    case "search":
      return searchOne(request, world);
    default:
      return assertNever(request);
  }
}

function linesOf(error: unknown, request: MemoryRequest): readonly string[] {
  const isFile = "file" in request && /^(?:ENOENT|EACCES|EISDIR)$/u.test(systemCode(error) ?? "");
  return isFile ? [`✗ ${request.file} cannot be read (${systemCode(error)}).`] : startupErrorLines(toAppError(error));
}
