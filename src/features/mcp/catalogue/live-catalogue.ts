import type { Log } from "../../../core/protocol/log.ts";
import { type Clock, sleepUnlessAborted } from "../../../core/protocol/runtime.ts";
import type { McpSession } from "../mcp-session.ts";
import type { McpServer } from "../server-settings.ts";
import { type Catalogue, MAX_TOOLS, readCatalogue } from "./catalogue.ts";

/** Minimum pause between two readings of a changed list, in milliseconds. */
const REREAD_PAUSE_MS = 1_000;

/** Reads beyond the limit, so that the tools left out can be reported. */
const MAX_LISTED = MAX_TOOLS * 2;

const NOTHING: Catalogue = { tools: [], leftOut: [], unmet: [] };

interface CatalogueScope {
  readonly name: string;
  readonly settings: McpServer;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when the list of tools has changed. */
  readonly changed: () => void;
}

/** The tools that one server listed when it last answered. */
export class LiveCatalogue {
  readonly #options: CatalogueScope;
  readonly #signal: AbortSignal;
  #current: Catalogue = NOTHING;
  #stale = false;
  #rereading: Promise<void> | null = null;

  /** `signal` stops all reading. */
  constructor(options: CatalogueScope, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  get current(): Catalogue {
    return this.#current;
  }

  /** Resolves when no reading is in progress. */
  async settled(): Promise<void> {
    await this.#rereading;
  }

  async read(session: McpSession): Promise<void> {
    const { name, settings } = this.#options;
    this.#current = readCatalogue(name, settings, await session.list("tools", MAX_LISTED, this.#signal));
  }

  /** Reads the list again after the server announced a change, at most once per second. */
  changed(session: () => Promise<McpSession | null>): void {
    this.#stale = true;
    this.#rereading ??= this.#rereadWhileStale(session);
  }

  async #rereadWhileStale(session: () => Promise<McpSession | null>): Promise<void> {
    const { clock } = this.#options;
    do {
      this.#stale = false;
      const live = await session();
      // Without a live session nothing needs reading now: the next session starts by reading the list.
      if (live !== null) await this.#reread(live);
    } while ((await sleepUnlessAborted(clock, REREAD_PAUSE_MS, this.#signal)) && this.#stale);
    this.#rereading = null;
  }

  async #reread(session: McpSession): Promise<void> {
    const { log, changed } = this.#options;
    try {
      await this.read(session);
      changed();
      log.info({ tools: this.#current.tools.length }, "mcp_tools_changed");
    } catch (error) {
      if (!this.#signal.aborted) log.warn({ err: error }, "mcp_tools_not_read");
    }
  }
}
