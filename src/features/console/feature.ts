import { z } from "zod";
import { field } from "../../config/fields.ts";
import type { Feature, OpenFeature } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { createHealthWatch } from "./overview/health-watch.ts";
import type { RunRelay } from "./relay/run-relay.ts";
import { consoleRoutes } from "./routes.ts";
import type { Sessions } from "./sessions.ts";
import { createStreamedAnswers, type StreamedAnswers } from "./streamed-answers.ts";

const consoleSchema = z
  .strictObject({
    adminsSeePrivate: field(
      z.boolean().default(false),
      "Whether accounts that are admins see every session, also of private channels and direct messages.",
      false,
    ),
  })
  .prefault({});

const file = {
  console: field(consoleSchema, "What the page shows of all platforms (docs/console.md).", { adminsSeePrivate: false }),
};

/**
 * Shows the whole team's work on the page. visibility.ts decides who sees which session, list.ts and session.ts read
 * them, live.ts sends changes, and press.ts makes a click as the linked person. Beside the sessions: jobs/, usage/,
 * overview/.
 */
export const consoleFeature: Feature = {
  name: "console",
  settings: {
    file,
    fileOnly: { console: "It would let admins see private channels, so it can only be set in the settings file." },
  },
  configure: (given) => {
    const { adminsSeePrivate } = z.object(file).parse(given.file).console;
    return {
      problems: [],
      open: (host) => openConsole(host, adminsSeePrivate),
    };
  },
};

/** Loads its parts when a page first asks. Before that, only the answers being written are kept. */
async function openConsole(host: FeatureHost, adminsSeePrivate: boolean): Promise<OpenFeature> {
  let loading: Promise<Sessions> | null = null;
  let loaded: Sessions | null = null;
  const own = createStreamedAnswers(host.runtime.clock);
  const relay = await openRelay(host, own);
  const streamed = { in: (sessionId: string) => own.in(sessionId) ?? relay?.in(sessionId) ?? null };
  const health = createHealthWatch(host.platforms, host.runtime.clock);
  const load = async (): Promise<Sessions> => {
    loading ??= import("./sessions.ts").then(({ createSessions }) =>
      createSessions(host, { adminsSeePrivate, health, streamed, relay }),
    );
    loaded = await loading;
    return loaded;
  };
  return {
    sessions: {
      list: async (...asked) => (await load()).list(...asked),
      choices: async (...asked) => (await load()).choices(...asked),
      session: async (...asked) => (await load()).session(...asked),
      change: async (...asked) => (await load()).change(...asked),
      channels: async (...asked) => (await load()).channels(...asked),
      press: async (...asked) => (await load()).press(...asked),
      watch: (watching) => {
        let end = (): void => {};
        let hasEnded = false;
        const begin = async (): Promise<void> => {
          const sessions = await load();
          if (!hasEnded) end = sessions.watch(watching);
        };
        begin().catch((error: unknown) => host.log.error({ err: error }, "console_not_loaded"));
        return () => {
          hasEnded = true;
          end();
        };
      },
    },
    routes: consoleRoutes(load),
    start: async (signal) => {
      health.run(signal).catch((error: unknown) => host.log.error({ err: error }, "health_not_watched"));
    },
    watchRun: (run, event) => {
      own.note(run, event);
      relay?.note(run, event);
      loaded?.note(run, event);
    },
    sessionsGone: (sessionIds) => loaded?.gone(sessionIds),
  };
}

/** Null if there are no other processes with runs. */
async function openRelay(host: FeatureHost, own: StreamedAnswers): Promise<RunRelay | null> {
  if (!host.cluster.isShared) return null;
  const { createRunRelay } = await import("./relay/run-relay.ts");
  return createRunRelay(host, own);
}
