import { createServer } from "node:http";
import { serveApi } from "./slack-api.ts";
import { buttonsOf, pingsOf, previewsOf, readableText } from "./slack-blocks.ts";
import { SlackDeliveries } from "./slack-deliveries.ts";
import { SlackFaults } from "./slack-faults.ts";
import { DEFAULT_LIMITS, SlackLimiter, type SlackLimits } from "./slack-limits.ts";
import type { MethodContext } from "./slack-method.ts";
import { ALL_SCOPES } from "./slack-methods.ts";
import { type ApiCall, SlackWorkspace } from "./slack-model.ts";
import { SlackPeople } from "./slack-people.ts";

export interface SlackServerOptions {
  /** Origin under which apps reach the server, if it is not where it listens. */
  readonly origin?: string;
  readonly limits?: Partial<SlackLimits>;
  /** Delays before the retries of an unanswered delivery, in milliseconds. Slack's: none, 1 min, 5 min. */
  readonly retryDelaysMs?: readonly number[];
  /** How long Slack waits for an answer, in milliseconds. */
  readonly answerWithinMs?: number;
}

export interface SeenMessage {
  readonly ts: string;
  readonly user: string;
  readonly byBot: boolean;
  readonly text: string;
  readonly buttons: readonly { readonly id: string; readonly label: string }[];
  readonly files: readonly { readonly name: string; readonly data: Uint8Array }[];
  readonly pings: readonly string[];
  readonly previews: readonly string[];
  readonly reactions: readonly string[];
  readonly edited: boolean;
}

export interface SlackServer extends AsyncDisposable {
  readonly port: number;
  /** Value for SLACK_API_URL. */
  readonly apiUrl: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  readonly workspace: SlackWorkspace;
  readonly people: SlackPeople;
  readonly deliveries: SlackDeliveries;
  readonly faults: SlackFaults;
  /** Scopes of the bot token; tests remove some. */
  readonly scopes: Set<string>;
  /** Every Web API call with its time, in order. */
  readonly calls: readonly ApiCall[];
  /** How often a rate limit was exceeded. */
  rateLimited(): number;
  /** A thread as its channel's members see it, oldest first. */
  thread(channel: string, rootTs: string): SeenMessage[];
}

/** Slack on 127.0.0.1: Web API over HTTP, Socket Mode over WebSocket, signed HTTP deliveries. */
export async function startSlackServer(options: SlackServerOptions = {}): Promise<SlackServer> {
  const workspace = new SlackWorkspace();
  const faults = new SlackFaults();
  const calls: ApiCall[] = [];
  const signingSecret = "8f742231b10e8888abcd99yyyzzz85a5";
  const scopes = new Set(["app_mentions:read", "commands", "im:history", ...ALL_SCOPES]);
  const deliveries = new SlackDeliveries({
    retryDelaysMs: options.retryDelaysMs ?? [0, 60_000, 300_000],
    answerWithinMs: options.answerWithinMs ?? 3_000,
    signingSecret,
  });

  const http = createServer();
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  const address = http.address();
  if (address === null || typeof address === "string") throw new Error("the server does not listen on a port");
  const context: MethodContext = {
    workspace,
    origin: options.origin ?? `http://127.0.0.1:${address.port}`,
    echo: (message) => people.deliver(message),
  };
  const people = new SlackPeople(context, deliveries);
  const tokens = { botToken: "xoxb-local-bot", appToken: "xapp-local-app" };
  const limiter = new SlackLimiter({ ...DEFAULT_LIMITS, ...options.limits });
  const api = { context, deliveries, faults, limiter, scopes, calls, ...tokens };
  http.on("request", (request, response) => {
    serveApi(api, request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  deliveries.accept(http);

  return {
    port: address.port,
    apiUrl: `${context.origin}/api/`,
    ...tokens,
    signingSecret,
    workspace,
    people,
    deliveries,
    faults,
    scopes,
    calls,
    rateLimited: () => calls.filter(({ outcome }) => outcome === "429").length,
    thread: (channel, rootTs) => workspace.thread(channel, rootTs).map((message) => seen(message)),
    async [Symbol.asyncDispose]() {
      deliveries.close();
      http.closeAllConnections();
      await new Promise<void>((resolve) => {
        http.close(() => resolve());
      });
    },
  };
}

function seen(message: SlackWorkspace["messages"][number]): SeenMessage {
  const { ts, user, byBot, files, reactions, edited, blocks } = message;
  return {
    ts,
    user,
    byBot,
    text: readableText(message),
    buttons: buttonsOf(blocks),
    files: files.map(({ id: _id, mimetype: _mimetype, ...file }) => file),
    pings: byBot ? pingsOf(message) : [],
    previews: byBot ? previewsOf(message) : [],
    reactions: [...reactions],
    edited,
  };
}
