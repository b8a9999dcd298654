import { text, tokens } from "../model/model-script.ts";
import { answers, type Scene } from "../talk/scene.ts";

const THREADS = 50;
const CHANNELS = 10;
const TOKENS = 2_000;
/** Between two tokens of an answer. Milliseconds. */
const TOKEN_MS = 5;
/** Ten seconds of it are the answers themselves; the rest is what fifty of them cost a slow machine. */
const LIMIT_MS = 240_000;

/** What one thread of a crowd has got. Times are milliseconds since the Unix epoch. */
export interface CrowdAnswer {
  readonly thread: number;
  readonly channel: number;
  /** When the model had sent its last token. */
  readonly modelEndedAt: number;
  /** When the whole answer was in the thread. */
  readonly answeredAt: number;
  /** `Answer <thread>. word1 word2 … word2000`. */
  readonly answer: string;
}

/** Fifty threads over ten channels ask at once, and each gets a long answer. */
export async function crowd({ model, mention }: Pick<Scene, "model" | "mention">): Promise<readonly CrowdAnswer[]> {
  const ends = new Map<string, number>();
  model.script(({ lastUserText, ended }) => {
    const thread = /thread (\d+)/.exec(lastUserText)?.[1] ?? "?";
    const noted = ended.then(() => ends.set(thread, Date.now()));
    noted.catch(() => {});
    return [text(`Answer ${thread}. `), tokens(TOKENS, { everyMs: TOKEN_MS })];
  });
  const threads = Array.from({ length: THREADS }, (_, thread) => {
    const channel = (thread % CHANNELS) + 1;
    return { thread, channel, scene: mention(`thread ${thread}`, channel) };
  });
  return Promise.all(
    threads.map(async ({ thread, channel, scene }) => {
      const messages = await scene.until(
        (all) => answers(all).some((answer) => answer.includes(`word${TOKENS}`)),
        AbortSignal.timeout(LIMIT_MS),
      );
      const answeredAt = Date.now();
      const modelEndedAt = ends.get(String(thread));
      if (modelEndedAt === undefined) throw new Error(`thread ${thread} is answered before its model has ended`);
      return { thread, channel, modelEndedAt, answeredAt, answer: answers(messages).join(" ") };
    }),
  );
}
