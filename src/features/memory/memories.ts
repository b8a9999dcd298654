import type { ThreadRef } from "../../core/platform/thread.ts";
import { isDiskFull } from "../../core/protocol/database-failure.ts";
import { toAppError } from "../../core/protocol/errors.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { utcDay } from "../../core/text/utc.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { acceptable } from "./acceptable.ts";
import { type Reader, readerWords, workspaceOf } from "./audience.ts";
import type { Meaning } from "./meaning/meaning.ts";
import type { Memory, NewMemory, Origin } from "./memory.ts";
import { find, type Hit } from "./search/find.ts";
import { fullText } from "./search/store.ts";
import { termsOf } from "./search/terms.ts";
import { type Indexed, memoryReads, memoryWrites } from "./store.ts";

type Host = Pick<FeatureHost, "store" | "runtime" | "log" | "database" | "describe" | "membershipOf"> & {
  readonly cluster: Pick<FeatureHost["cluster"], "isShared">;
};

/** Something to remember. */
export interface MemoryInput extends Pick<NewMemory, "text" | "kind" | "author" | "channelKey" | "origin"> {
  /** Whom it is for: the person, this channel, or the workspace. */
  readonly scope: "person" | "channel" | "workspace";
  readonly thread: ThreadRef;
  /** The memory may be known beyond a private channel, because a person has said so. */
  readonly mayLeave: boolean;
  /** The run that it was told in. */
  readonly runId?: string;
}

export type KeepResult = { readonly memory: Memory } | { readonly refused: string };

export interface Search {
  readonly query: string;
  readonly reader: Reader;
  readonly limit: number;
  /** All if left out. */
  readonly origins?: readonly Origin[];
}

/** All memories, as the parts of the feature use them. */
export type Memories = ReturnType<typeof createMemories>;

export function createMemories(host: Host, meaning: Meaning | null = null) {
  const { store, runtime, log, database, describe, cluster } = host;
  const { clock, ids } = runtime;
  const reads = store.tables(memoryReads);
  const text = store.tables((db) => fullText(db, database));
  const write: Write = (work) => store.transaction((tx) => work(tx.tables(memoryWrites)));
  const writeOrSay = async <T>(work: Work<T>): Promise<T | { readonly refused: string }> => {
    try {
      return await write(work);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      log.error({ err: toAppError(error) }, "memory_disk_full");
      return { refused: DISK_FULL };
    }
  };

  const paused = createPauses(() => reads.paused(), cluster);
  return {
    ...reads,
    ...changes(write, { paused, clock }),
    /** Null also if the reader may not read it. */
    get: (seq: number, reader: Reader) => reads.get(seq, readerWords(reader)),

    /** The memories that a run was given and those that it stored, as far as the reader may read them. */
    ofRun: (runId: string, reader: Reader) => reads.ofRun(runId, readerWords(reader)),

    linkOf: ({ thread }: Pick<Memory, "thread">) => (thread === null ? null : linkTo(thread, describe)),

    /** Whether people have turned memory off in a channel. */
    isPaused: async (channelKey: string) => (await paused.all()).has(channelKey),

    async search({ query, reader, limit, origins }: Search): Promise<Hit[]> {
      return find({ query, readers: readerWords(reader, origins), limit }, { text, meaning, now: clock.now() });
    },

    /** Stores a memory, or renews an identical one. */
    async keep(input: MemoryInput): Promise<KeepResult> {
      const checked = acceptable(input.text);
      if ("refused" in checked) return checked;
      if (input.scope === "workspace" && describe(input.thread.platform).directWorkspace === input.thread.workspaceId)
        return { refused: NO_WORKSPACE };
      const isHere = !input.mayLeave && (await isPrivate(input, host));
      const scope = isHere && input.scope === "workspace" ? "channel" : input.scope;
      const given = { id: ids.next("mem"), at: clock.now(), isPrivate: isHere };
      const memory = newMemory({ ...input, text: checked.text, scope }, given);
      return writeOrSay(async (writes) => {
        const known = await writes.same(memory);
        if (known === null) await writes.add(indexed(memory), clock.now());
        else await writes.renew([known.seq], clock.now());
        const existing = await writes.same(memory);
        return existing === null ? { refused: "I couldn't save that." } : { memory: existing };
      });
    },

    async edit(memory: Memory, text: string) {
      const checked = acceptable(text);
      if ("refused" in checked) return checked;
      const { text: words } = checked;
      const edited = { text: words, terms: termsOf({ ...memory, text: words, workspace: workspaceOf(memory.thread) }) };
      const done = await writeOrSay(async (writes) => {
        await writes.edit(memory.seq, edited);
        return { done: true };
      });
      meaning?.changed(memory.seq);
      return done;
    },
  };
}

const NO_WORKSPACE = "A direct message doesn't belong to a workspace: tell me this in a channel.";
const DISK_FULL = "My disk is full, so I can't remember anything until an operator frees space.";

type Work<T> = (writes: ReturnType<typeof memoryWrites>) => Promise<T>;
type Write = <T>(work: Work<T>) => Promise<T>;

/** Changes that people make to existing memories. */
function changes(write: Write, { paused, clock }: { readonly paused: Pauses; readonly clock: Clock }) {
  return {
    pin: (seq: number, isPinned: boolean) => write((writes) => writes.pin(seq, isPinned)),
    forget: (seqs: readonly number[]) => write((writes) => writes.forget(seqs)),
    forgetPerson: (personId: string) => write((writes) => writes.forgetPerson(personId)),
    async pause(channelKey: string, byId: string): Promise<void> {
      await write((writes) => writes.pause(channelKey, byId, clock.now()));
      paused.forget();
    },
    async resume(channelKey: string): Promise<void> {
      await write((writes) => writes.resume(channelKey));
      paused.forget();
    },
  };
}

/** Whether the channel is closed to some members of the workspace; true if unknown. */
async function isPrivate(
  { thread, author }: Pick<MemoryInput, "thread" | "author">,
  { membershipOf, log }: Pick<Host, "membershipOf" | "log">,
): Promise<boolean> {
  try {
    return (await membershipOf(thread, author.id))?.isPrivate ?? true;
  } catch (error) {
    log.warn({ err: toAppError(error), channelId: thread.channelId }, "channel_privacy_unknown");
    return true;
  }
}

/** Null also if this version lacks the platform. */
function linkTo(thread: ThreadRef, describe: Host["describe"]): string | null {
  try {
    return describe(thread.platform).link(thread);
  } catch {
    return null;
  }
}

interface Pauses {
  all(): Promise<ReadonlySet<string>>;
  /** Called when the paused channels have changed. */
  forget(): void;
}

/** Channels in which memory is off; cached unless other processes can change them. */
function createPauses(read: () => Promise<readonly string[]>, { isShared }: Host["cluster"]): Pauses {
  let known: Promise<ReadonlySet<string>> | null = null;
  const forget = (): void => {
    known = null;
  };
  return {
    all: () => {
      known = (isShared ? null : known) ?? read().then((all) => new Set(all));
      known.catch(forget);
      return known;
    },
    forget,
  };
}

export function newMemory(
  input: Omit<MemoryInput, "mayLeave">,
  given: Pick<NewMemory, "id" | "isPrivate"> & { readonly at: number },
): NewMemory {
  const { text, kind, scope, author, thread, channelKey, origin, runId = null } = input;
  const workspace = workspaceOf(thread);
  const whose = { person: author.id, channel: channelKey, workspace }[scope];
  return {
    id: given.id,
    isPrivate: given.isPrivate,
    text,
    kind,
    scope: `${scope}:${whose}`,
    origin,
    author: { id: author.id, name: author.name },
    channelKey,
    workspace,
    thread,
    source: `${channelKey}:${thread.threadId ?? ""}`,
    position: null,
    said: utcDay(given.at),
    runId,
  };
}

export function indexed(memory: NewMemory): Indexed {
  return { memory, terms: termsOf(memory) };
}
