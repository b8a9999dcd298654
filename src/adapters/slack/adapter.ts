import { BoundedMap } from "../../core/bounded-map.ts";
import type { Cluster } from "../../core/cluster.ts";
import { ownId } from "../../core/events/event-key.ts";
import { KeyedMutex } from "../../core/keyed-mutex.ts";
import type {
  ChatPlatform,
  LinkingMessage,
  LinkPreviews,
  Membership,
  MissedQuery,
  PlatformHealth,
  ThreadMessage,
} from "../../core/platform/chat-platform.ts";
import type { Attachment, InboundEvent, InboundSurface, Receipt, Receive } from "../../core/platform/inbound.ts";
import type { OutgoingFile, OutgoingMessage, PostedMessage } from "../../core/platform/outgoing.ts";
import { privateMessage } from "../../core/platform/replies.ts";
import type { Person, ThreadRef } from "../../core/platform/thread.ts";
import { type AppError, PlatformError, toAppError } from "../../core/protocol/errors.ts";
import { explain } from "../../core/protocol/explain.ts";
import type { Form } from "../../core/protocol/form.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { unlessAborted } from "../../core/unless-aborted.ts";
import { privateAnswer } from "../render/private-answer.ts";
import { connectWithRetries, stillConnecting } from "../render/reachability.ts";
import { PaneTitles, setStatus, setTitle, suggestPrompts } from "./assistant.ts";
import { SlackHttp } from "./connection/http-listener.ts";
import { SharedSocket } from "./connection/shared-socket.ts";
import { SlackSocket } from "./connection/socket.ts";
import type { SlackTransport } from "./connection/transport.ts";
import { SLACK } from "./descriptor.ts";
import { createDirectory } from "./directory.ts";
import { formatMessage } from "./format.ts";
import { formErrors, openForm } from "./forms.ts";
import { publishHome } from "./home.ts";
import { membershipIn } from "./membership.ts";
import { fetchSlackFile } from "./message/files.ts";
import { fetchThread } from "./message/history.ts";
import { previewsOf } from "./message/previews.ts";
import { refusedShortcut } from "./message/shortcut.ts";
import { Uploads } from "./message/uploads.ts";
import { edit, find, post, react, upload } from "./messages.ts";
import { missedMessages } from "./missed.ts";
import { type Addressee, addressedMessage, isSlashCommand, readPayload, threadKeyOf } from "./payload.ts";
import { answerPrivately, postEphemeral, sendFilesPrivately, withFilesNote } from "./private/ephemeral.ts";
import { RepliedThreads } from "./private/replied-threads.ts";
import { responseUrlOf } from "./private/response-url.ts";
import type { SlackScope } from "./surfaces.ts";
import { createViews } from "./views.ts";
import { type Bolt, clientOptions, type Identity, identify, type SlackWeb } from "./web.ts";
import { triggerSchema } from "./wire.ts";

export interface SlackOptions {
  readonly botToken: string;
  /** How Slack delivers events: over a socket that the bot opens, or by requests to a listener of the bot. */
  readonly mode:
    | { readonly type: "socket"; readonly appToken: string }
    | { readonly type: "http"; readonly signingSecret: string; readonly host: string; readonly port: number };
  /** Root URL of the Web API; Slack's own by default. */
  readonly apiUrl?: string;
  /** Whether the socket connects through the proxy that `fetch` uses. */
  readonly proxied?: boolean;
  /** Names of the emoji with which people point out messages to the bot. */
  readonly reactions?: readonly string[];
  /** Whether the bot answers this person; if not, none of their messages is read. Everybody by default. */
  readonly serves?: (person: Person) => boolean;
  /** The processes that share Slack's events; if omitted, this process receives all of them. */
  readonly cluster?: Pick<Cluster, "hold"> | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Number of remembered keys of events whose private answer was sent. A mention arrives twice. */
const ANSWERED_KEYS = 1_000;

const servesEverybody = () => true;

/** Connects the bot to one Slack workspace: a session for each thread, and for each new direct message. */
export function createSlackPlatform(options: SlackOptions): ChatPlatform {
  return new SlackPlatform(options);
}

interface Live extends SlackScope {
  readonly transport: SlackTransport;
}

class SlackPlatform implements ChatPlatform {
  readonly descriptor = SLACK;
  readonly #options: SlackOptions;
  #live: Live | undefined;
  #idle: PlatformHealth = { connected: false, detail: "not started" };
  /** Set while Slack rejects the bot token, because the socket may well stay open then. */
  #refused: PlatformHealth | null = null;
  readonly #answeredKeys = new BoundedMap<string, true>(ANSWERED_KEYS);
  readonly #views = createViews();
  readonly #uploads = new Uploads();
  readonly #replied: RepliedThreads;
  readonly #titles = new PaneTitles();
  /** Private answers being sent; `stop` waits for them. None rejects. */
  readonly #answers = new Set<Promise<void>>();

  constructor(options: SlackOptions) {
    this.#options = options;
    this.#replied = new RepliedThreads(options.log);
  }

  async start(receive: Receive, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { clock, log, apiUrl, botToken, serves = servesEverybody } = this.#options;
    const bolt = await import("@slack/bolt");
    const web = new bolt.webApi.WebClient(botToken, clientOptions(bolt, { apiUrl, log }));
    this.#idle = stillConnecting(web.slackApiUrl);
    const identity = await this.#signIn(web, signal);
    const directory = createDirectory({ web, identity, clock, log });
    const transport = this.#transport(bolt);
    const reactions = new Set(this.#options.reactions);
    const scope: SlackScope = { web, identity, directory, reactions, views: this.#views, clock, log, serves };
    const threads = new KeyedMutex();
    const receiveOne = async (payload: unknown) => {
      const event = await readPayload(payload, scope).catch(async (error: unknown) => {
        await this.#notRead(payload, identity, toAppError(error));
        throw error;
      });
      if (event === null) return undefined;
      if (event.kind === "deletion") {
        await receive(event);
        return undefined;
      }
      const receipt = (await refusedShortcut(web, payload)) ?? (await receive(event));
      if (receipt.type === "accepted" || event.kind === "surface") this.#setTitle(event);
      return this.#answer(event, receipt, payload);
    };
    const take = (payload: unknown) => {
      this.#replied.notePayload(payload);
      const thread = threadKeyOf(payload);
      return thread === null ? receiveOne(payload) : threads.run(thread, () => receiveOne(payload));
    };
    this.#live = { ...scope, transport };
    try {
      await transport.open(take, signal);
    } catch (error) {
      this.#live = undefined;
      this.#idle = { connected: false, detail: toAppError(error).message };
      await transport.close();
      throw error;
    }
  }

  async stop(): Promise<void> {
    const live = this.#live;
    if (live === undefined) return;
    await live.transport.close();
    await Promise.all(this.#answers);
    this.#live = undefined;
    this.#idle = { connected: false, detail: "stopped" };
  }

  health(): PlatformHealth {
    if (this.#live === undefined) return this.#idle;
    return { ...this.#live.transport.health(), ...this.#refused };
  }

  async post(thread: ThreadRef, message: OutgoingMessage, key: string): Promise<PostedMessage> {
    const posted = await this.#do(({ web }) => post(web, thread, { message, key, uploads: this.#uploads }));
    this.#replied.noteReply(thread);
    return posted;
  }

  find(thread: ThreadRef, key: string, since: number): Promise<PostedMessage | null> {
    return this.#do((live) => find(live, thread, { key, since, uploads: this.#uploads }));
  }

  edit(posted: PostedMessage, message: OutgoingMessage): Promise<void> {
    return this.#do(({ web }) => edit(web, posted, message));
  }

  react(thread: ThreadRef, messageId: string, sign: "seen" | "working"): Promise<void> {
    return this.#do(({ web }) => react(web, { channel: thread.channelId, messageId }, sign));
  }

  async upload(thread: ThreadRef, file: OutgoingFile, _key: string): Promise<PostedMessage> {
    const posted = await this.#do(({ web }) => upload(web, thread, file));
    this.#replied.noteReply(thread);
    return posted;
  }

  postEphemeral(thread: ThreadRef, personId: string, message: OutgoingMessage): Promise<void> {
    const to = { userId: ownId(personId), message };
    return this.#do(({ web }) => postEphemeral({ web, replied: this.#replied }, thread, to));
  }

  async showStatus({ channelId, threadId }: ThreadRef, status: string): Promise<void> {
    // Skipping the call matters: a success that never asked Slack would clear the note that the token is rejected.
    if (threadId !== null) await this.#do(({ web }) => setStatus(web, { channelId, threadId }, status));
  }

  membership({ channelId }: ThreadRef, personId: string): Promise<Membership | null> {
    return this.#do((live) => membershipIn(live, { channelId, userId: ownId(personId) }));
  }

  workspaces(): ReadonlyMap<string, string> {
    const identity = this.#live?.identity;
    return new Map(identity === undefined ? [] : [[identity.teamId, identity.teamName]]);
  }

  member(_thread: ThreadRef, personId: string): Promise<Person | null> {
    return this.#do(({ directory }) => directory.member(ownId(personId)));
  }

  previews(of: LinkingMessage, signal: AbortSignal): Promise<LinkPreviews> {
    return this.#do((live) => previewsOf(of, live, signal));
  }

  fetchFile(attachment: Attachment, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const { botToken, apiUrl } = this.#options;
    return this.#do(({ web }) => fetchSlackFile({ web, botToken, apiUrl }, attachment, { maxBytes, signal }));
  }

  fetchThread(thread: ThreadRef, limit: number, signal: AbortSignal): Promise<readonly ThreadMessage[]> {
    return this.#do((live) => fetchThread(live, thread, { limit, signal }));
  }

  missed(query: MissedQuery): Promise<readonly InboundEvent[]> {
    return this.#do((live) => missedMessages(live, query));
  }

  async #do<T>(action: (live: Live) => Promise<T>): Promise<T> {
    if (this.#live === undefined) {
      const detail = { platform: SLACK.title, sent: "no" };
      throw new PlatformError("platform_failed", "Slack is not connected", { detail });
    }
    try {
      const result = await action(this.#live);
      this.#refused = null;
      return result;
    } catch (error) {
      this.#noteRefusal(toAppError(error));
      throw error;
    }
  }

  #noteRefusal({ code, message }: AppError): void {
    if (code !== "platform_auth") return;
    const detail = `Slack no longer accepts the bot token (${message}): renew SLACK_BOT_TOKEN and start again`;
    if (this.#refused === null) this.#options.log.error({ message }, "slack_token_refused");
    this.#refused = { connected: false, detail };
  }

  #transport(bolt: Bolt): SlackTransport {
    const { mode, apiUrl, proxied, cluster, clock, log } = this.#options;
    if (mode.type === "http") return new SlackHttp({ bolt, ...mode, clock, log });
    const socket = new SlackSocket({ bolt, appToken: mode.appToken, apiUrl, proxied, clock, log });
    return cluster === undefined ? socket : new SharedSocket({ socket, cluster, clock });
  }

  /** Waits until Slack can be reached. Gives up only on failures that waiting cannot fix. */
  async #signIn(web: SlackWeb, signal: AbortSignal): Promise<Identity> {
    const { mode, clock, log } = this.#options;
    const onHealth = (health: PlatformHealth) => {
      this.#idle = health;
    };
    const connecting = { address: web.slackApiUrl, onHealth, event: "slack_sign_in_failed", clock, log };
    try {
      return await connectWithRetries(
        () => unlessAborted(identify(web, mode.type === "socket" ? mode.appToken : undefined), signal),
        connecting,
        signal,
      );
    } catch (error) {
      signal.throwIfAborted();
      this.#idle = { connected: false, detail: `cannot sign in to Slack: ${toAppError(error).message}` };
      throw error;
    }
  }

  /** Returns the response to Slack's request. Private answers to messages and clicks are sent separately. */
  #answer(event: InboundEvent, receipt: Receipt, payload: unknown): object | undefined {
    if (event.kind === "surface") return this.#own(this.#show(event, receipt));
    const message = privateAnswer(receipt);
    if (message === null) return undefined;
    if (receipt.type === "reply" && receipt.problems !== undefined) {
      const wrong = formErrors(payload, receipt.problems);
      if (wrong !== null) return wrong;
    } else if (receipt.type === "reply" && receipt.form !== undefined) {
      const trigger = triggerSchema.safeParse(payload).data;
      if (trigger !== undefined)
        return this.#own(this.#ask(event, { form: receipt.form, message, triggerId: trigger.trigger_id }, payload));
    }
    if (isSlashCommand(payload)) {
      if (message.files.length > 0) this.#own(this.#sendFiles(event, message));
      return { response_type: "ephemeral", ...formatMessage(withFilesNote(message)) };
    }
    if (!this.#isFirst(event.key)) return undefined;
    return this.#own(this.#sendPrivately(event, message, payload));
  }

  /** Sets the title of a new thread. Nothing depends on it: an app without the assistant pane has no titles. */
  #setTitle(event: InboundEvent): void {
    const named = this.#titles.of(event);
    if (named === null) return;
    const { thread, title } = named;
    const titled = this.#do(({ web }) => setTitle(web, thread, title));
    this.#own(
      titled.catch((error: unknown) => {
        this.#options.log.debug({ code: toAppError(error).code, key: event.key }, "title_not_set");
      }),
    );
  }

  /** Lets a private answer finish in the background; `stop` waits for it. */
  #own(answer: Promise<void>): undefined {
    const task = answer.finally(() => this.#answers.delete(task));
    this.#answers.add(task);
  }

  /** Asks for missing input by a form, or in text if none can be opened. Never rejects. */
  async #ask(
    event: Addressee,
    {
      form,
      message,
      triggerId,
    }: { readonly form: Form; readonly message: OutgoingMessage; readonly triggerId: string },
    payload: unknown,
  ): Promise<void> {
    try {
      const { thread } = event;
      if (await this.#do(({ web }) => openForm(web, form, { thread, triggerId }))) return;
    } catch (error) {
      this.#notAnswered(error, event.key, "form_not_opened");
    }
    await this.#sendPrivately(event, message, payload);
  }

  /** Fills the home tab or suggests prompts in the pane. Never rejects. */
  async #show({ thread, person, key }: InboundSurface, receipt: Receipt): Promise<void> {
    try {
      if (receipt.type === "home") await this.#do(({ web }) => publishHome(web, ownId(person.id), receipt.view));
      if (receipt.type === "prompts") await this.#do(({ web }) => suggestPrompts(web, thread, receipt.prompts));
    } catch (error) {
      this.#notAnswered(error, key, "surface_not_answered");
    }
  }

  /** Tells the person at once which scope is missing; Slack sends the event again, so the answer itself comes late. */
  async #notRead(payload: unknown, identity: Identity, error: AppError): Promise<void> {
    this.#noteRefusal(error);
    const addressed = error.code === "missing_scope" ? addressedMessage(payload, identity) : null;
    if (addressed === null || !this.#isFirst(addressed.key)) return;
    await this.#sendPrivately(addressed, privateMessage(explain(error)), payload);
  }

  /** True once per key. */
  #isFirst(key: string): boolean {
    if (this.#answeredKeys.has(key)) return false;
    this.#answeredKeys.set(key, true);
    return true;
  }

  /** Answers privately, through the payload's response URL if it has one. */
  #sendPrivately({ thread, person, key }: Addressee, message: OutgoingMessage, payload: unknown): Promise<void> {
    const to = { userId: ownId(person.id), message, url: responseUrlOf(payload, this.#options.apiUrl) };
    const sent = this.#do(({ web }) => answerPrivately({ web, replied: this.#replied }, thread, to));
    return this.#privately(key, sent);
  }

  /** Sends the files that the response to a slash command cannot carry. */
  #sendFiles({ thread, person, key }: Addressee, message: OutgoingMessage): Promise<void> {
    const to = { userId: ownId(person.id), message };
    const sent = this.#do(({ web }) => sendFilesPrivately(web, thread, to));
    return this.#privately(key, sent);
  }

  /** Logs a failed private answer. Never rejects. */
  #privately(key: string, sent: Promise<void>): Promise<void> {
    return sent.catch((error: unknown) => this.#notAnswered(error, key, "private_answer_failed"));
  }

  #notAnswered(error: unknown, key: string, event: string): void {
    const { code, detail } = toAppError(error);
    this.#options.log.warn({ code, key, ...detail }, event);
  }
}
