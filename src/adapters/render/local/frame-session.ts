import type { z } from "zod";
import type { ChatCommand } from "../../../core/command-line/command.ts";
import { KeyedMutex } from "../../../core/keyed-mutex.ts";
import type { Receipt, Receive } from "../../../core/platform/inbound.ts";
import { assertNever } from "../../../core/protocol/assert-never.ts";
import { isDiskFull } from "../../../core/protocol/database-failure.ts";
import type { Log } from "../../../core/protocol/log.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import { causeChain } from "../../../core/protocol/system-code.ts";
import type { LocalMessage } from "../../../core/store/web-threads.ts";
import { fromJson } from "../../../core/text/from-json.ts";
import { privateAnswer } from "../private-answer.ts";
import { pageCommands } from "./commands.ts";
import { completed, typedArgument } from "./completing.ts";
import type { Feed } from "./feed.ts";
import type { FeedListener } from "./feed-pages.ts";
import { CATCH_UP_CHANGES, LISTED_THREADS, PAGE_MESSAGES, WAITING_FRAMES } from "./frame-limits.ts";
import { actionIn, commandIn, completionIn, keyIn, type LocalChannel, messageIn, noteFor } from "./local-channel.ts";
import { bodyOf, formatMessage, pageFile, pageMessage, pageThread, titleOf } from "./message-body.ts";
import type { Poster } from "./poster.ts";
import type { LocalThreadStore } from "./thread-store.ts";
import type { MessageBody, PageFile, PersonFrame, ThreadFrame } from "./wire.ts";

/** What the frames of one page or terminal are handled with. */
export interface FrameSessionOptions {
  readonly page: FeedListener;
  readonly place: LocalChannel;
  readonly store: LocalThreadStore;
  readonly feed: Feed;
  readonly poster: Poster;
  readonly receive: Receive;
  readonly commands: readonly ChatCommand[];
  readonly clock: Clock;
}

/** Parses a frame; returns a string with the reason if the text is not a valid frame. */
export function readFrame<F extends { readonly type: string }>(text: string, schema: z.ZodType<F>): F | string {
  const json = fromJson(text);
  if (json === undefined) return "That was not JSON.";
  const { data, error } = schema.safeParse(json);
  if (data !== undefined) return data;
  const [issue] = error?.issues ?? [];
  return `Not understood: ${issue?.path.join(".") || "frame"}: ${issue?.message ?? "invalid"}.`;
}

export interface FrameQueueOptions<F extends { readonly type: string }> {
  readonly page: FeedListener;
  readonly schema: z.ZodType<F>;
  readonly handle: (frame: F) => Promise<void>;
  /** The frame that reports a failed request; null if the person did not ask for it. */
  readonly failure: (frame: F, error: unknown) => ThreadFrame | null;
  readonly log: Log;
}

/** Requests that a connection cannot do without: if one fails, the connection closes, and a new one repeats it. */
const BEGINNINGS: ReadonlySet<string> = new Set(["hello", "watch"]);

/** Handles the frames of one connection in order of arrival. The returned function takes the text of a frame. */
export function createFrameQueue<F extends { readonly type: string }>(
  options: FrameQueueOptions<F>,
): (text: string) => void {
  const { page, schema, handle, failure, log } = options;
  const frames = new KeyedMutex();
  let waiting = 0;
  /** Type of the last frame if it failed. One that is sent again by itself is not logged each time. */
  let failed: F["type"] | null = null;
  return (text) => {
    if (waiting >= WAITING_FRAMES) {
      page.close(1008, "too many frames");
      return;
    }
    const frame = readFrame(text, schema);
    if (typeof frame === "string") {
      log.warn({ reason: frame }, "frame_rejected");
      page.push({ type: "rejected", reason: frame });
      return;
    }
    waiting += 1;
    frames
      .run("frames", async () => {
        await handle(frame);
        failed = null;
      })
      .catch((error: unknown) => {
        const frameOfFailure = failure(frame, error);
        if (frameOfFailure !== null || failed !== frame.type)
          log.error({ err: error, frame: frame.type }, "frame_failed");
        failed = frame.type;
        if (BEGINNINGS.has(frame.type)) return page.close(1013, "try again");
        if (frameOfFailure !== null) page.push(frameOfFailure);
        return undefined;
      })
      .finally(() => {
        waiting -= 1;
      });
  };
}

type FrameOf<T extends PersonFrame["type"]> = Extract<PersonFrame, { type: T }>;

const NOT_STORED = "Deckhand couldn't accept this. Nothing is lost: try again.";
const DISK_FULL = "The disk is full, so Deckhand can't take anything until an operator frees space. Then try again.";

/** The frame that reports a failed request; null for a request that no person made. */
export function frameFailure(frame: PersonFrame, error: unknown): ThreadFrame | null {
  if (frame.type === "complete") return null;
  return frameRefusal(frame, causeChain(error).some(isDiskFull) ? DISK_FULL : NOT_STORED);
}

/** The frame that tells the person why a request was not accepted. */
export function frameRefusal(frame: PersonFrame | { readonly type: "look" | "watch" }, reason: string): ThreadFrame {
  if (frame.type === "send") return { type: "failed", id: frame.clientId, reason };
  if (frame.type === "click" || frame.type === "command") return { type: "failed", id: frame.clickId, reason };
  return { type: "rejected", reason };
}

export async function handleFrame(frame: PersonFrame, options: FrameSessionOptions): Promise<void> {
  switch (frame.type) {
    case "hello":
      return options.feed.join(options.page, () => welcome(frame, options));
    case "open":
      return openThread(frame, options);
    case "send":
      return takeMessage(frame, options);
    case "click":
      return takeClick(frame, options);
    case "command":
      return handleCommand(frame, options);
    case "complete":
      return complete(frame, options);
    default:
      return assertNever(frame);
  }
}

async function welcome({ seq }: FrameOf<"hello">, { page, store, commands }: FrameSessionOptions): Promise<void> {
  const threads = (await store.threads(LISTED_THREADS)).map(pageThread);
  const lastSeq = await store.lastSeq();
  // A number that was never given out comes from another database, so what that page has loaded is useless here.
  const changes = seq === null || seq > lastSeq ? null : await store.changes(seq, CATCH_UP_CHANGES + 1);
  const base = { type: "welcome", threads, commands: pageCommands(commands) } as const;
  if (changes === null || changes.length > CATCH_UP_CHANGES) {
    page.push({ ...base, seq: lastSeq, changes: null });
  } else {
    const newest = changes.at(-1)?.message.seq ?? lastSeq;
    page.push({ ...base, seq: newest, changes: changes.map(({ message }) => pageMessage(message)) });
  }
}

async function openThread({ threadId, before }: FrameOf<"open">, { page, store }: FrameSessionOptions): Promise<void> {
  const found = await store.messages(threadId, before, PAGE_MESSAGES + 1);
  const messages = found?.slice(-PAGE_MESSAGES).map(pageMessage) ?? null;
  page.push({ type: "thread", threadId, before, messages, more: (found?.length ?? 0) > PAGE_MESSAGES });
}

/** Stores a message, handles it, and then acknowledges it. A page that gets no acknowledgement sends it again. */
async function takeMessage(frame: FrameOf<"send">, options: FrameSessionOptions): Promise<void> {
  const { page, place, feed, receive, clock } = options;
  const reject = (reason: string): void => page.push({ type: "failed", id: frame.clientId, reason });
  if (frame.text.trim() === "" && frame.fileIds.length === 0) return reject("This message is empty.");
  const { messageChars } = place.platform.limits;
  if (frame.text.length > messageChars) {
    return reject(`This message is longer than ${messageChars} characters. Attach it as a file.`);
  }
  const files = await findFiles(frame.fileIds, options);
  if (files === null) return reject("An attachment didn't arrive. Attach it again.");
  const outcome = await feed.insert(
    {
      id: frame.clientId,
      threadId: frame.threadId ?? frame.clientId,
      key: keyIn(place, frame.clientId),
      fromPerson: true,
      at: clock.now(),
      body: {
        by: "person",
        ...authorIn(place),
        markdown: frame.text,
        tone: "plain",
        buttons: [],
        files: [...files],
        signs: [],
      },
    },
    frame.threadId === null ? { title: titleOf(frame.text || (files[0]?.name ?? "")) } : null,
  );
  if (outcome.type === "no_thread") return reject("This thread is gone. Start a new one.");
  const receipt = await receive(messageIn(place, outcome.message));
  await answerMessage(receipt, { message: outcome.message, options });
  openForm(receipt, { id: frame.clientId, threadId: outcome.message.threadId }, page);
  page.push({ type: "sent", clientId: frame.clientId, threadId: outcome.message.threadId });
}

/** Messages carry an author only where several people write. */
function authorIn({ channel, person }: LocalChannel): Pick<MessageBody, "author"> {
  return channel.kind === "dm" ? {} : { author: { id: person.id, name: person.name } };
}

/** Keeps a private answer in the thread as a note, once, however often the message is sent. */
async function answerMessage(
  receipt: Receipt,
  { message, options }: { readonly message: LocalMessage; readonly options: FrameSessionOptions },
): Promise<void> {
  const answer = privateAnswer(receipt);
  if (answer === null) return;
  // A refusal is marked as an error, so that a script at the terminal does not mistake the reason for an answer.
  const note = receipt.type === "refused" ? { ...answer, tone: "error" as const } : answer;
  const { id, threadId } = message;
  const { place, poster } = options;
  const key = `${keyIn(place, id)}:answer`;
  await poster.post({ threadId, message: note, key, by: "note", ...noteFor(place, place.person.id) });
}

async function findFiles(ids: readonly string[], { store }: FrameSessionOptions): Promise<readonly PageFile[] | null> {
  const files: PageFile[] = [];
  for (const id of ids) {
    const file = await store.file(id);
    if (file === null) return null;
    files.push(pageFile(file));
  }
  return files;
}

async function takeClick(frame: FrameOf<"click">, options: FrameSessionOptions): Promise<void> {
  const { page, place, store, receive, clock } = options;
  const message = await store.message(frame.messageId);
  if (message === null || !bodyOf(message).buttons.some((button) => button.id === frame.action)) {
    page.push({ type: "failed", id: frame.clickId, reason: "That button no longer works." });
    return;
  }
  const clicked = { id: frame.clickId, threadId: message.threadId };
  const receipt = await receive(actionIn(place, { ...clicked, action: frame.action, at: clock.now() }));
  await answerPrivately(receipt, clicked, options);
}

async function handleCommand(frame: FrameOf<"command">, options: FrameSessionOptions): Promise<void> {
  const { place, receive, clock } = options;
  const receipt = await receive(commandIn(place, { ...frame, id: frame.clickId, at: clock.now() }));
  await answerPrivately(receipt, { id: frame.clickId, threadId: frame.threadId }, options);
}

/** Answers a click or a command, which leaves no message in the thread, on this page alone. */
async function answerPrivately(
  receipt: Receipt,
  asked: Answerable,
  { page, poster }: Pick<FrameSessionOptions, "page" | "poster">,
): Promise<void> {
  if (openForm(receipt, asked, page)) return;
  const clickId = asked.id;
  const answer = privateAnswer(receipt);
  if (answer === null) {
    page.push({ type: "clicked", clickId });
    return;
  }
  await poster.putFiles(answer);
  page.push({ type: "reply", clickId, body: formatMessage(answer, "note") });
}

/** A message, click or command that may be answered with a form. */
interface Answerable {
  readonly id: string;
  readonly threadId: string | null;
}

/** Shows a form on the page that asked; false if the receipt has none. */
function openForm(receipt: Receipt, asked: Answerable, page: FeedListener): boolean {
  if (receipt.type !== "reply" || receipt.form === undefined) return false;
  page.push({ type: "form", ...asked, form: receipt.form, problems: receipt.problems ?? {} });
  return true;
}

async function complete({ text, threadId }: FrameOf<"complete">, options: FrameSessionOptions): Promise<void> {
  const { page, place, receive, clock, commands } = options;
  const argument = typedArgument(text, commands);
  if (argument === null) return page.push({ type: "completions", text, words: [] });
  const receipt = await receive(completionIn(place, { ...argument, threadId, at: clock.now() }));
  const words = receipt.type === "completions" ? completed(argument, receipt.words) : [];
  page.push({ type: "completions", text, words });
}
