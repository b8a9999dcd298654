import type { Command } from "commander";
import type { Config } from "../config/resolve.ts";
import type { EffectiveSettings } from "../config/stored/effective-settings.ts";
import type { ClusterTopic } from "../core/cluster.ts";
import type { ThreadRef } from "../core/platform/thread.ts";
import type { LiveProviders } from "../core/providers/registry/live-providers.ts";
import type { AuditEntry, FeatureHost } from "../feature-host.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Adds a feature's subcommand to `deckhand`, with arguments, options and help. Help alone loads only this; the
 * implementation is loaded when it is called.
 */
export type AddSubcommand = (program: Command, run: RunSubcommand) => void;

/** Runs a subcommand. Errors are printed as lines, and the exit code is 1. */
type RunSubcommand = (work: (world: SubcommandWorld) => Promise<void>) => Promise<void>;

/** What a subcommand works with, whether or not the program is running. */
export interface SubcommandWorld {
  /** The settings without those made on the page. */
  readonly config: Config;
  readonly terminal: Pick<Terminal, "out" | "error">;
  /** Prints the outcome. If it is not ok, the exit code is 1. */
  readonly answer: (outcome: { readonly ok: boolean; readonly lines: readonly string[] }) => void;
  /** A password from an input (`isGiven`) or a pipe, or typed twice; null if the two differ. */
  readonly newPassword: (isGiven: boolean) => Promise<string | null>;
  /** A key from a pipe, or typed. */
  readonly newKey: () => Promise<string>;
  /** Lines from a pipe, or typed, until the signal aborts. Throws ConfigError if the person interrupts. */
  readonly typedLines: (signal: AbortSignal) => AsyncIterable<string>;
  readonly onStore: (work: (world: StoreWorld) => Promise<void>) => Promise<void>;
  /** The same for an existing database: reports a missing one instead of creating it. */
  readonly onExistingStore: SubcommandWorld["onStore"];
  /** The settings as they would be in effect after a start. Does not create a missing database. */
  readonly withSettings: (use: (settings: EffectiveSettings) => void) => Promise<void>;
  /** Copies a SQLite file, by default the home's, to the configured PostgreSQL. */
  readonly copyDatabase: (from: string | null) => Promise<void>;
}

/** The database, and other data kept with it. */
export interface StoreWorld
  extends Pick<FeatureHost, "store" | "runtime" | "proxyFor" | "log" | "home" | "database" | "describe" | "snapshots"> {
  /** The settings as they would be in effect after a start. */
  readonly settings: () => Promise<EffectiveSettings>;
  /** Providers with these settings, including the stored keys. */
  readonly providers: (config: Config) => Promise<LiveProviders>;
  /** Tests a provider's key and reports the result. */
  readonly tryKey: (id: string, providers: LiveProviders) => ReturnType<FeatureHost["tryKey"]>;
  readonly sandboxRootOf: (config: Config, thread: ThreadRef) => string;
  /** Like `WriteAudit`, on behalf of the person at the terminal. */
  readonly audit: (entry: Omit<AuditEntry, "by">) => Promise<void>;
  /** Notifies the processes that run on the database. */
  readonly notify: (topic: ClusterTopic) => Promise<void>;
}
