import type { Log } from "../../core/protocol/log.ts";
import type { Tool } from "../../core/tool.ts";
import { type ExtensionSources, type LoadedExtensions, loadExtensions } from "./load-extensions.ts";

/** Third-party tools, loaded in the background. */
export interface Extensions {
  tools(): readonly Tool[];
  /** Why a tool is not available yet, for the model; null if no extension has this name. */
  missing(name: string): string | null;
  /** Why extensions did not load, one line each. */
  problems(): readonly string[];
  /** Resolves when all valid extensions are loaded. */
  load(): Promise<void>;
}

export function createExtensions(sources: Omit<ExtensionSources, "declared">, log: Log): Extensions {
  let loaded: LoadedExtensions = { tools: [], problems: [] };
  let preparing: ReadonlySet<string> = new Set();
  const declared = (names: readonly string[]): void => {
    preparing = new Set(names);
  };
  return {
    tools: () => loaded.tools,
    problems: () => loaded.problems,
    missing: (name) =>
      preparing.has(name)
        ? `${name} is being prepared for its first use, which takes some seconds. Call it again in a moment.`
        : null,
    load: async () => {
      try {
        loaded = await loadExtensions({ ...sources, declared });
        for (const problem of loaded.problems) log.warn({ problem }, "extension_not_loaded");
      } catch (error) {
        log.error({ err: error }, "extensions_failed");
      } finally {
        preparing = new Set();
      }
    },
  };
}
