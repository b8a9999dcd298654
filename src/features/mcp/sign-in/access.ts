import { type FetchLike, refreshAuthorization } from "@modelcontextprotocol/client";
import type { Log } from "../../../core/protocol/log.ts";
import { type Clock, sleepUnlessAborted } from "../../../core/protocol/runtime.ts";
import { secretMasking } from "../../../core/text/secret-masking.ts";
import type { FeatureHost } from "../../../feature-host.ts";
import { createGuardedFetch, type Reach } from "./guarded-fetch.ts";
import { isFinalRefusal, problemText, SignInUnread } from "./problems.ts";
import { revokeReplaced } from "./revoke.ts";
import {
  type Kept,
  openRow,
  readRows,
  type SignedServer,
  type SignIn,
  sealSignIn,
  tokensOf,
  type Vault,
} from "./signed-in.ts";
import { type SignInRow, signInWrites } from "./store.ts";

/** How long one process has the turn to renew a token, in milliseconds: well beyond the time limit of its request. */
const TURN_MS = 60_000;
/** How often a process that waits for its turn looks, and for how long, in milliseconds. */
const LOOK_MS = 200;
const PATIENCE_MS = 20_000;
/** Pause after a renewal or a storing that failed, in milliseconds. */
const PAUSE_MS = 5_000;
/** How long refusals lead to no renewal after a renewed token was refused at once, in milliseconds. */
const REFUSED_PAUSE_MS = 900_000;

/** Why a server refuses our requests. */
export interface Refusal {
  /** The end of a sentence: `it requires a sign-in; an operator must …`. Null if the server's own words say it. */
  readonly text: string | null;
  /** What an operator can do besides. */
  readonly orRun: string | null;
  /** Whether only a person can change it. */
  readonly waits: boolean;
}

export interface AccessScope extends SignedServer {
  /** The server's name as people write it. */
  readonly title: string;
  /** Null if there is no database yet, so nobody has signed in. */
  readonly vault: Vault | null;
  /** All rows as they were when the first server needed them: one query for all servers. */
  readonly firstRows: () => Promise<readonly SignInRow[]>;
  readonly reach: Reach;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn" | "info">;
  readonly replaceSecrets: FeatureHost["replaceSecrets"];
}

/** A request that the server has refused with HTTP 401. */
interface RefusedRequest {
  /** Null if it had none. */
  readonly token: string | null;
  /** Whether the server has said that it requires a sign-in. */
  readonly isSignIn: boolean;
  /** Whether the token was renewed because an earlier one was refused for the same request. */
  readonly wasRenewed: boolean;
}

type Open = Extract<Kept, { type: "open" }>;

/** The access to one server by the account that signed in to it. Renews the token, one process at a time. */
export class Access {
  readonly #options: AccessScope;
  readonly #closing = new AbortController();
  #kept: Promise<Kept> | null = null;
  #renewing: Promise<string | null> | null = null;
  #refusal: Refusal | null = null;
  /** The last renewal that failed, and why: the end of a sentence. */
  #failure: { readonly at: number; readonly why: string } | null = null;
  /** Identifies the sign-in that this process uses; empty if there is none. */
  #mark: string | null = null;
  #hidden: readonly string[] = [];
  #signedIn: Pick<SignInRow, "by" | "at"> | null = null;
  /** Whether `firstRows` is as new as what this process knows. */
  #isFirst = true;
  /** When a renewed token was refused at once; null if none was. */
  #refusedAt: number | null = null;
  /** The renewed sign-in, with the row in whose place it is to be stored; null if it is stored. */
  #unstored: Open | null = null;
  #storing: Promise<void> | null = null;

  constructor(options: AccessScope) {
    this.#options = options;
  }

  /** The reason for the last HTTP 401; null if there was none. */
  get refusal(): Refusal | null {
    return this.#refusal;
  }

  /** The text without the tokens, which some servers repeat. */
  hide(text: string): string {
    return secretMasking(this.#hidden).hide(text);
  }

  /** Ends waiting, and resolves when no renewal is under way, so that none is lost. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#renewing;
    await this.#storing;
  }

  /** Who has signed in to the account whose token requests carry, and when; null if nobody has. */
  get signedIn(): Pick<SignInRow, "by" | "at"> | null {
    return this.#signedIn;
  }

  /** The access token; null if nobody has signed in. */
  async token(): Promise<string | null> {
    const kept = await this.#read();
    if (kept.type !== "open") return null;
    const { renewAt, refreshToken, accessToken } = kept.signIn;
    if (renewAt === null || refreshToken === null || this.#options.clock.now() < renewAt) return accessToken;
    // A token that cannot be renewed now may still be valid.
    if ((await this.#renew(kept)) !== null) return accessToken;
    const latest = await this.#read();
    return latest.type === "open" ? latest.signIn.accessToken : null;
  }

  /**
   * How another token than the refused one has come about; null if there is none, and `refusal` then has the reason.
   */
  async another({ token, isSignIn, wasRenewed }: RefusedRequest): Promise<"replaced" | "renewed" | null> {
    this.#kept = null;
    const kept = await this.#read();
    if (kept.type !== "open") {
      this.#refusal = this.#missing(kept, isSignIn);
      return null;
    }
    if (kept.signIn.accessToken !== token) return "replaced";
    if (wasRenewed) this.#refusedAt = this.#options.clock.now();
    if (kept.signIn.refreshToken === null || this.#isPausing()) {
      this.#refusal = this.#again("it refuses the sign-in");
      return null;
    }
    const why = await this.#renew(kept);
    const latest = await this.#read();
    if (latest.type === "open" && latest.signIn.accessToken !== token) return "renewed";
    this.#refusal =
      why === null || latest.type !== "open"
        ? this.#missing(latest, true)
        : { text: `its sign-in cannot be renewed now: ${why}`, orRun: null, waits: false };
    return null;
  }

  /** Whether renewing has just led nowhere: some servers accept a token for some requests and refuse it for others. */
  #isPausing(): boolean {
    // The clock may have been set back since.
    const sinceMs = Math.abs(this.#options.clock.now() - (this.#refusedAt ?? -Infinity));
    return sinceMs < REFUSED_PAUSE_MS;
  }

  /** Takes a stored row, or its absence, as another process has left it; true if a person has signed in or out. */
  take(row: SignInRow | undefined): boolean {
    const mark = markOf(row);
    const isOther = this.#mark !== null && this.#mark !== mark;
    this.#mark = mark;
    this.#kept = null;
    this.#isFirst = false;
    if (isOther) this.#refusedAt = null;
    return isOther;
  }

  #read(): Promise<Kept> {
    this.#kept ??= this.#load().catch((error: unknown) => {
      this.#kept = null;
      throw new SignInUnread(error);
    });
    return this.#kept;
  }

  async #load(): Promise<Kept> {
    const { server, vault, firstRows } = this.#options;
    if (vault === null) return { type: "none" };
    const rows = this.#isFirst ? await firstRows() : await readRows(vault);
    this.#isFirst = false;
    const row = rows.find((each) => each.server === server);
    this.#mark ??= markOf(row);
    const unstored = row !== undefined && row.sealed === this.#unstored?.row.sealed ? this.#unstored : null;
    const kept = unstored ?? (await openRow(row, this.#options, vault));
    this.#mask(kept);
    return kept;
  }

  #mask(kept: Kept): void {
    const secrets = kept.type === "open" ? secretsOf(kept.signIn) : [];
    this.#options.replaceSecrets(this.#hidden, secrets);
    this.#hidden = secrets;
    this.#signedIn = kept.type === "open" ? kept.row : null;
  }

  /** Renews the token, once for all that wait for it; null, or the end of a sentence why not. */
  #renew(from: Open): Promise<string | null> {
    this.#renewing ??= this.#renewInTurn(from)
      .catch((error: unknown) => {
        this.#options.log.warn({ err: error }, "mcp_sign_in_not_renewed");
        return "the database is not available";
      })
      .finally(() => {
        this.#renewing = null;
        this.#kept = this.#unstored === null ? null : Promise.resolve(this.#unstored);
      });
    return this.#renewing;
  }

  async #renewInTurn(from: Open): Promise<string | null> {
    const { clock, log } = this.#options;
    const { vault } = from;
    // The clock may have been set back since.
    if (this.#failure !== null && Math.abs(clock.now() - this.#failure.at) < PAUSE_MS) return this.#failure.why;
    for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += LOOK_MS) {
      const now = clock.now();
      const turn = { now, until: now + TURN_MS };
      if (await vault.store.transaction((tx) => tx.tables(signInWrites).takeTurn(from.row, turn))) {
        return this.#renewNow(from);
      }
      const row = (await readRows(vault)).find(({ server }) => server === from.row.server);
      if (row?.sealed !== from.row.sealed || row.refusedAt !== null) return null;
      if (!(await sleepUnlessAborted(clock, LOOK_MS, this.#closing.signal))) break;
    }
    const why = "another process is using it";
    log.warn({ why }, "mcp_sign_in_not_renewed");
    return why;
  }

  async #renewNow(from: Open): Promise<string | null> {
    const { row, signIn, vault } = from;
    const { clock, log } = this.#options;
    try {
      this.#unstored = { ...from, signIn: await this.#ask(signIn) };
    } catch (error) {
      const { hide } = secretMasking(secretsOf(signIn));
      const why = hide(problemText(error, new URL(signIn.provider.issuer).host)).replace(/\.$/u, "");
      log.warn({ why }, "mcp_sign_in_not_renewed");
      this.#failure = { at: clock.now(), why };
      await vault.store.transaction((tx) => {
        const to = tx.tables(signInWrites);
        return isFinalRefusal(error) ? to.refuse(row, clock.now()) : to.leaveTurn(row);
      });
      return why;
    }
    this.#mask(this.#unstored);
    if (!(await this.#store(this.#unstored))) this.#storing ??= this.#storeLater();
    return null;
  }

  /** Stores renewed tokens; false if that failed. */
  async #store(renewed: Open): Promise<boolean> {
    const { clock, log } = this.#options;
    const { row, signIn, vault } = renewed;
    try {
      const sealed = await sealSignIn(signIn, this.#options, vault);
      const change = { sealed, renewedAt: clock.now() };
      const isStored = await vault.store.transaction((tx) => tx.tables(signInWrites).renew(row, change));
      if (isStored) log.info({}, "mcp_sign_in_renewed");
      else await this.#giveUp(renewed);
    } catch (error) {
      log.warn({ err: error }, "mcp_sign_in_not_stored");
      return false;
    }
    if (this.#unstored === renewed) this.#unstored = null;
    this.#kept = null;
    return true;
  }

  /** Revokes renewed tokens, if a person has signed in or out since. */
  async #giveUp({ row, signIn, vault }: Open): Promise<void> {
    const latest = (await readRows(vault)).find(({ server }) => server === row.server);
    if (latest?.at === row.at) return;
    const kept = await openRow(latest, this.#options, vault);
    await revokeReplaced(signIn, kept.type === "open" ? kept.signIn : null, this.#guarded());
  }

  #guarded(): FetchLike {
    const { settings, reach } = this.#options;
    return createGuardedFetch(settings, reach, new AbortController().signal);
  }

  /** Tries again until the database is back: the tokens that are stored there may be worth nothing any more. */
  async #storeLater(): Promise<void> {
    const { clock } = this.#options;
    let isOpen = true;
    while (isOpen && this.#unstored !== null) {
      isOpen = await sleepUnlessAborted(clock, PAUSE_MS, this.#closing.signal);
      await this.#store(this.#unstored);
    }
    this.#storing = null;
  }

  async #ask({ client, provider, resource, ...signIn }: SignIn): Promise<SignIn> {
    const { clock, settings } = this.#options;
    const { clientId, clientSecret } = settings.oauth ?? {};
    // The operator may have replaced the secret since.
    const isOurs = clientId === client.client_id && clientSecret !== undefined;
    const tokens = await refreshAuthorization(provider.issuer, {
      metadata: provider,
      clientInformation: isOurs ? { ...client, client_secret: clientSecret } : client,
      refreshToken: signIn.refreshToken ?? "",
      ...(resource === null ? {} : { resource }),
      fetchFn: this.#guarded(),
    });
    return { client, provider, resource, ...tokensOf(tokens, clock.now()) };
  }

  #missing(kept: Kept, isSignIn: boolean): Refusal {
    const { title, settings } = this.#options;
    switch (kept.type) {
      case "elsewhere":
        return this.#again("its address has changed since the sign-in");
      case "locked": {
        const run = `\`${signInCommand(title)}\``;
        const text = `its sign-in cannot be read. ${kept.why} To sign in again, an admin uses the web page, or runs ${run}`;
        return { text, orRun: null, waits: true };
      }
      case "none": {
        const run = `\`${signInCommand(title)}\``;
        const text = `it requires a sign-in; an admin must sign in on the web page, or run ${run}`;
        if (isSignIn) return { text, orRun: null, waits: true };
        // A header may be a key that the server does not know yet.
        return {
          text: null,
          orRun: `sign in on the web page, or run ${run}`,
          waits: Object.keys(settings.headers ?? {}).length === 0,
        };
      }
      default:
        return this.#again("its sign-in has ended");
    }
  }

  #again(why: string): Refusal {
    const run = signInCommand(this.#options.title);
    return {
      text: `${why}; an admin must sign in again on the web page, or run \`${run}\``,
      orRun: null,
      waits: true,
    };
  }
}

/** The command that signs in to a server, as people type it. */
export function signInCommand(title: string): string {
  const isPlain = /^[\w.@:-]+$/u.test(title);
  return `deckhand mcp sign-in ${isPlain ? title : JSON.stringify(title)}`;
}

export function secretsOf({ accessToken, refreshToken, client }: SignIn): string[] {
  return [accessToken, refreshToken, client.client_secret].filter((secret) => secret != null);
}

function markOf(row: SignInRow | undefined): string {
  return row === undefined ? "" : `${row.at} ${row.address}`;
}
