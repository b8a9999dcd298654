import type { Command } from "commander";
import type { Config } from "../config/resolve.ts";
import type { SettingsInForce } from "../config/stored/in-force.ts";
import type { ClusterTopic } from "../core/cluster.ts";
import type { ThreadRef } from "../core/protocol/platform.ts";
import type { LiveProviders } from "../core/providers/registry/live-providers.ts";
import type { AuditEntry, FeatureHost } from "../feature-host.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Adds to `deckhand …` what can be asked of a feature there: words, flags and help. Whoever only asks for help loads this; what
 * carries it out is loaded when it is asked for.
 */
export type AddSubcommand = (program: Command, carryOut: CarryOut) => void;

/** What goes wrong is said in lines, and the process ends with code 1. */
type CarryOut = (work: (world: SubcommandWorld) => Promise<void>) => Promise<void>;

/** What a subcommand works with, beside a running program or without one. */
export interface SubcommandWorld {
  /** What the page has set left out. */
  readonly config: Config;
  readonly terminal: Pick<Terminal, "out" | "error">;
  /** Says what came of it; the process ends with code 1 where that is nothing. */
  readonly answer: (outcome: { readonly ok: boolean; readonly lines: readonly string[] }) => void;
  /** A line of what is read (`isGiven`) or piped, or what is typed twice; null where the two differ. */
  readonly newPassword: (isGiven: boolean) => Promise<string | null>;
  /** A piped line, or what is typed. */
  readonly newKey: () => Promise<string>;
  readonly onStore: (work: (world: StoreWorld) => Promise<void>) => Promise<void>;
  /** The same for what is there: where no database is, that is said, and none is made. */
  readonly onKeptStore: SubcommandWorld["onStore"];
  /** The settings as a start would have them; makes no database where there is none. */
  readonly withSettings: (use: (settings: SettingsInForce) => void) => Promise<void>;
  /** Copies a SQLite file, the home's where none is named, to the PostgreSQL of the settings. */
  readonly copyDatabase: (from: string | null) => Promise<void>;
}

/** The database itself, and what is kept with it. */
export interface StoreWorld
  extends Pick<FeatureHost, "store" | "runtime" | "log" | "home" | "database" | "describe" | "snapshots"> {
  /** The settings as a start would have them. */
  readonly settings: () => Promise<SettingsInForce>;
  /** Providers of these settings, with the keys that are stored beside those of the environment and the settings file. */
  readonly providers: (config: Config) => Promise<LiveProviders>;
  /** Tries a provider's key, and says what came back. */
  readonly tryKey: (id: string, providers: LiveProviders) => ReturnType<FeatureHost["tryKey"]>;
  readonly sandboxRootOf: (config: Config, thread: ThreadRef) => string;
  /** As `WriteAudit`, by whoever sits at the terminal. */
  readonly audit: (entry: Omit<AuditEntry, "by">) => Promise<void>;
  /** Tells the processes that run on the database. */
  readonly tell: (topic: ClusterTopic) => Promise<void>;
}
