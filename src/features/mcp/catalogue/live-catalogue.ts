import type { Log } from "../../../core/protocol/log.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import type { McpSession } from "../mcp-session.ts";
import type { McpServer } from "../server-settings.ts";
import { slept } from "../slept.ts";
import { type Catalogue, readCatalogue } from "./catalogue.ts";

/** Milliseconds between two readings of a list that the server says has changed. */
const REREAD_PAUSE_MS = 1_000;

const NOTHING: Catalogue = { tools: [], leftOut: [] };

export interface LiveCatalogueOptions {
  readonly name: string;
  readonly settings: McpServer;
  readonly clock: Clock;
  readonly log: Log;
  /** Told when the list has been read again. */
  readonly changed: () => void;
  /** Ends all reading. */
  readonly signal: AbortSignal;
}

/** What one server lists, as of the last time it could be asked. */
export class LiveCatalogue {
  readonly #options: LiveCatalogueOptions;
  #current: Catalogue = NOTHING;
  #stale = false;
  #rereading: Promise<void> | null = null;

  constructor(options: LiveCatalogueOptions) {
    this.#options = options;
  }

  get current(): Catalogue {
    return this.#current;
  }

  /** Resolves when nothing is being read any more. */
  async settled(): Promise<void> {
    await this.#rereading;
  }

  async read(session: McpSession): Promise<void> {
    const { name, settings, signal } = this.#options;
    this.#current = readCatalogue(name, settings, await session.tools(signal));
  }

  /** The server says that its list has changed; one that says so all the time is listened to once a second. */
  changed(session: () => Promise<McpSession | null>): void {
    this.#stale = true;
    this.#rereading ??= this.#rereadWhileStale(session);
  }

  async #rereadWhileStale(session: () => Promise<McpSession | null>): Promise<void> {
    const { clock, signal } = this.#options;
    do {
      this.#stale = false;
      const live = await session();
      // Without one, the next session begins with reading.
      if (live !== null) await this.#reread(live);
    } while ((await slept(clock, REREAD_PAUSE_MS, signal)) && this.#stale);
    this.#rereading = null;
  }

  async #reread(session: McpSession): Promise<void> {
    const { log, signal, changed } = this.#options;
    try {
      await this.read(session);
      changed();
      log.info({ tools: this.#current.tools.length }, "mcp_tools_changed");
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, "mcp_tools_not_read");
    }
  }
}
