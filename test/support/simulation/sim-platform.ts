import type { ChatPlatform } from "../../../src/core/platform/chat-platform.ts";
import type { PlatformLimits } from "../../../src/core/platform/descriptor.ts";
import type { OutgoingMessage, PostedMessage } from "../../../src/core/platform/outgoing.ts";
import type { ThreadRef } from "../../../src/core/platform/thread.ts";
import { PlatformError } from "../../../src/core/protocol/errors.ts";
import { aPlatform } from "../talk/a-platform.ts";
import type { SimProcess, World } from "./world.ts";

export interface SimMessage {
  readonly id: string;
  readonly key: string;
  readonly thread: ThreadRef;
  markdown: string;
  /** Ids of its buttons. */
  buttons: readonly string[];
  /** Contents of its files. */
  readonly files: readonly string[];
  readonly postedAt: number;
}

export const SIM_LIMITS: PlatformLimits = {
  messageChars: 4_000,
  footerChars: 1_500,
  editChars: 3_000,
  postsPerChannel: { burst: 8, everyMs: 1_000 },
  editsPerWorkspace: { burst: 15, everyMs: 1_200 },
  answerParts: 5,
  attachmentBytes: 1_000_000,
};

/** Latency of a request and of its response, in milliseconds. */
const LATENCY_MS = 120;

/** The platform's server, which outlives all processes and enforces its rates. */
export class SimServer {
  readonly messages: SimMessage[] = [];
  rateLimited = 0;
  /** Called for each message that is new or has changed. */
  seen: (message: SimMessage) => void = () => {};
  readonly #world: World;
  readonly #posts = new Map<string, number[]>();
  readonly #edits: number[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  land(thread: ThreadRef, message: OutgoingMessage, key: string): SimMessage {
    this.#countPost(thread.channelId);
    const landed: SimMessage = {
      id: `m${this.messages.length + 1}`,
      key,
      thread,
      markdown: message.markdown,
      buttons: message.buttons.map(({ id }) => id),
      files: message.files.map(({ data }) => Buffer.from(data).toString("latin1")),
      postedAt: this.#world.now(),
    };
    this.messages.push(landed);
    this.seen(landed);
    return landed;
  }

  edit(id: string, message: OutgoingMessage): void {
    this.#count(this.#edits, SIM_LIMITS.editsPerWorkspace);
    const found = this.messages.find((each) => each.id === id);
    if (found === undefined) return;
    found.markdown = message.markdown;
    found.buttons = message.buttons.map(({ id }) => id);
    this.seen(found);
  }

  #countPost(channelId: string): void {
    const posts = this.#posts.get(channelId) ?? [];
    this.#posts.set(channelId, posts);
    this.#count(posts, SIM_LIMITS.postsPerChannel);
  }

  /** Counts a request in a sliding window of burst and interval, as the platforms do. */
  #count(times: number[], { burst, everyMs }: { burst: number; everyMs: number }): void {
    const now = this.#world.now();
    times.push(now);
    const inMinute = times.filter((time) => now - time < 60_000).length;
    if (inMinute > burst + 60_000 / everyMs) this.rateLimited += 1;
  }
}

/** A process's connection to the server: requests and responses get lost, are slow, or outlive the process. */
export function simPlatform(options: {
  world: World;
  process: SimProcess;
  server: SimServer;
  faultRate: number;
}): ChatPlatform {
  const { world, process, server, faultRate } = options;
  const outside = world.clockOf(null);
  const NEVER = new AbortController().signal;

  /** One request, which arrives in the world's time even if the process dies meanwhile. */
  async function request<T>(work: () => T): Promise<T> {
    await world.step(process);
    const luck = world.random.next();
    const landing = outside.sleep(world.random.next() * LATENCY_MS, NEVER).then(() => {
      if (luck < faultRate) throw new PlatformError("network", "the request was lost");
      const value = work();
      if (luck < faultRate * 2) throw new PlatformError("network", "the answer was lost");
      return value;
    });
    const value = await world.virtual(process, landing);
    await world.clockOf(process).sleep(world.random.next() * LATENCY_MS, NEVER);
    await world.step(process);
    return value;
  }

  return {
    descriptor: aPlatform({ limits: SIM_LIMITS }),
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    health: () => ({ connected: true, detail: "simulated" }),
    post: async (thread, message, key) => handle(await request(() => server.land(thread, message, key))),
    find: async (_thread, key) => {
      const found = await request(() => server.messages.find((message) => message.key === key));
      return found === undefined ? null : handle(found);
    },
    edit: (posted, message) => request(() => server.edit(posted.messageId, message)),
    react: () => request(() => undefined),
    upload: (thread, file, key) => request(() => handle(server.land(thread, { ...EMPTY, markdown: file.name }, key))),
    postEphemeral: () => request(() => undefined),
    fetchFile: () => Promise.reject(new PlatformError("attachment_unreadable", "none")),
    fetchThread: () => Promise.resolve([]),
    missed: () => Promise.resolve([]),
  };
}

const EMPTY: OutgoingMessage = { lane: "answer", markdown: "", tone: "plain", buttons: [], files: [] };

function handle(message: SimMessage): PostedMessage {
  return { platform: "slack", channelId: "C", messageId: message.id };
}
