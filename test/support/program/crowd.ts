import { text, tokens } from "../model/model-script.ts";
import { answers, type Scene } from "../talk/scene.ts";

/** Number of threads that ask at once, number of channels, and length of each answer. */
export interface CrowdSize {
  readonly threads: number;
  readonly channels: number;
  readonly tokens: number;
}

/** The crowd used for measurements. */
const LARGE: CrowdSize = { threads: 50, channels: 10, tokens: 2_000 };
/** Interval between two tokens of an answer, in milliseconds. */
const TOKEN_MS = 5;
/** Ten seconds of the largest crowd are the answers themselves; the rest allows for slow machines. */
const LIMIT_MS = 240_000;

/** The answer in one thread of a crowd. Times are in milliseconds since the Unix epoch. */
export interface CrowdAnswer {
  readonly thread: number;
  readonly channel: number;
  /** When the model had sent its last token. */
  readonly modelEndedAt: number;
  /** When the whole answer had arrived in the thread. */
  readonly answeredAt: number;
  /** `Answer <thread>. word1 word2 …`, up to the last token. */
  readonly answer: string;
}

/** Asks in threads of several channels at once, each of which gets a long answer. */
export async function crowd(
  { model, mention }: Pick<Scene, "model" | "mention">,
  size: CrowdSize = LARGE,
): Promise<readonly CrowdAnswer[]> {
  const ends = new Map<string, number>();
  model.script(({ lastUserText, ended }) => {
    const thread = /thread (\d+)/.exec(lastUserText)?.[1] ?? "?";
    const noted = ended.then(() => ends.set(thread, Date.now()));
    noted.catch(() => {});
    return [text(`Answer ${thread}. `), tokens(size.tokens, { everyMs: TOKEN_MS })];
  });
  const threads = Array.from({ length: size.threads }, (_, thread) => {
    const channel = (thread % size.channels) + 1;
    return { thread, channel, scene: mention(`thread ${thread}`, channel) };
  });
  return Promise.all(
    threads.map(async ({ thread, channel, scene }) => {
      const messages = await scene.until(
        (all) => answers(all).some((answer) => answer.includes(`word${size.tokens}`)),
        AbortSignal.timeout(LIMIT_MS),
      );
      const answeredAt = Date.now();
      const modelEndedAt = ends.get(String(thread));
      if (modelEndedAt === undefined) throw new Error(`thread ${thread} is answered before its model has ended`);
      return { thread, channel, modelEndedAt, answeredAt, answer: answers(messages).join(" ") };
    }),
  );
}
