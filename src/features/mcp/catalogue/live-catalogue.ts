import type { Log } from "../../../core/protocol/log.ts";
import { type Clock, slept } from "../../../core/protocol/runtime.ts";
import type { McpSession } from "../mcp-session.ts";
import type { McpServer } from "../server-settings.ts";
import { type Catalogue, MAX_TOOLS, readCatalogue } from "./catalogue.ts";

/** Milliseconds between two readings of a list that the server says has changed. */
const REREAD_PAUSE_MS = 1_000;

/** A few more than are taken, so that it can be said. */
const MAX_LISTED = MAX_TOOLS * 2;

const NOTHING: Catalogue = { tools: [], leftOut: [], unmet: [] };

interface CatalogueScope {
  readonly name: string;
  readonly settings: McpServer;
  readonly clock: Clock;
  readonly log: Log;
  /** Told when what it lists is another. */
  readonly changed: () => void;
}

/** What one server lists, as of the last time it could be asked. */
export class LiveCatalogue {
  readonly #options: CatalogueScope;
  readonly #signal: AbortSignal;
  #current: Catalogue = NOTHING;
  #stale = false;
  #rereading: Promise<void> | null = null;

  /** `signal` ends all reading. */
  constructor(options: CatalogueScope, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  get current(): Catalogue {
    return this.#current;
  }

  /** Resolves when nothing is being read any more. */
  async settled(): Promise<void> {
    await this.#rereading;
  }

  async read(session: McpSession): Promise<void> {
    const { name, settings } = this.#options;
    this.#current = readCatalogue(name, settings, await session.list("tools", MAX_LISTED, this.#signal));
  }

  /** The server says that its list has changed; one that says so all the time is listened to once a second. */
  changed(session: () => Promise<McpSession | null>): void {
    this.#stale = true;
    this.#rereading ??= this.#rereadWhileStale(session);
  }

  async #rereadWhileStale(session: () => Promise<McpSession | null>): Promise<void> {
    const { clock } = this.#options;
    do {
      this.#stale = false;
      const live = await session();
      // Without one, the next session begins with reading.
      if (live !== null) await this.#reread(live);
    } while ((await slept(clock, REREAD_PAUSE_MS, this.#signal)) && this.#stale);
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
