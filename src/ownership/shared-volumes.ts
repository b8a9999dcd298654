import { randomBytes } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type { Config } from "../config.ts";
import type { Cluster } from "../core/cluster.ts";
import { ConfigError } from "../core/protocol/errors.ts";
import type { Clock } from "../core/protocol/runtime.ts";
import { systemCode } from "../core/protocol/system-code.ts";
import type { KnownReplica } from "../core/store/cluster/members.ts";
import { fromJson } from "../core/text/from-json.ts";

/** A directory that all processes must share. */
interface SharedDirectory {
  /** The setting that names the directory. */
  readonly setting: string;
  /** Absolute path. */
  readonly directory: string;
}

/** How long another process may take to answer, over several attempts. In milliseconds. */
const ANSWER_MS = 20_000;
/** The same for a process of an earlier version, which may not know the question. In milliseconds. */
const OLDER_MS = 5_000;
/** Timeout of one attempt. In milliseconds. */
const TRY_MS = 1_000;
/** Number of attempts, each with new file names, before a file counts as not found. */
const TRIES = 3;

const mark = z.string().regex(/^[0-9a-f]{16}$/u);

const volumeMessageSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ask"), to: z.string(), directory: z.string(), mark, reply: mark }),
  z.object({
    type: z.literal("answer"),
    mark,
    /** `wrote`: read the file and wrote another one; `read`: read it, but may not write there. */
    what: z.enum(["wrote", "read", "not found", "not its own"]),
  }),
]);
type VolumeMessage = z.infer<typeof volumeMessageSchema>;
type Answer = Extract<VolumeMessage, { type: "answer" }>["what"];

export function sharedDirectories({
  home,
  sandbox,
  channels,
}: Pick<Config, "home" | "sandbox" | "channels">): SharedDirectory[] {
  const given = Object.entries(channels).flatMap(([channel, { directory }]) =>
    directory === undefined ? [] : [{ setting: `channels.${channel}.directory`, directory }],
  );
  const all = [
    { setting: "DECKHAND_HOME", directory: home },
    { setting: "DECKHAND_SANDBOX", directory: sandbox },
    ...given,
  ];
  return [...new Map(all.map((each) => [each.directory, each])).values()];
}

/** Named like a file being written: tools do not show it, and leftovers are removed. */
function fileOf(directory: string, name: string): string {
  return path.join(directory, `.deckhand-${name}.tmp`);
}

interface VolumeScope {
  readonly cluster: Pick<Cluster, "id" | "publish" | "subscribe">;
  readonly directories: readonly SharedDirectory[];
}

/** Answers processes that start later, while this one lives: reads the files that they wrote, and writes one back. */
export function answerVolumeChecks({ cluster, directories }: VolumeScope): void {
  const answer = async (ask: Extract<VolumeMessage, { type: "ask" }>): Promise<void> => {
    const isOwn = directories.some(({ directory }) => directory === ask.directory);
    const what = isOwn ? await answerTo(ask) : "not its own";
    await cluster.publish("volumes", JSON.stringify({ type: "answer", mark: ask.mark, what } satisfies VolumeMessage));
  };
  cluster.subscribe("volumes", (about) => {
    const message = volumeMessageSchema.safeParse(fromJson(about)).data; // null if from another release
    // If it fails, the other process asks again.
    if (message?.type === "ask" && message.to === cluster.id) answer(message).catch(() => undefined);
  });
}

async function answerTo({ directory, mark: asked, reply }: Extract<VolumeMessage, { type: "ask" }>): Promise<Answer> {
  try {
    if ((await readFile(fileOf(directory, asked), "utf8")) !== asked) return "not found";
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return "not found";
  }
  try {
    await writeFile(fileOf(directory, reply), reply, { mode: 0o600, flag: "wx", flush: true });
    return "wrote";
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return "read";
  }
}

interface VerifyScope extends VolumeScope {
  /** The other process that has proved its directories longest ago; null if there is none. */
  readonly eldest: () => Promise<KnownReplica | null>;
  readonly clock: Pick<Clock, "now" | "after">;
}

/** The process found to have the same directories; unsure if its version does not answer. */
interface VerifiedVolumes {
  readonly by: KnownReplica;
  readonly isVerified: boolean;
}

/**
 * Throws ConfigError if a directory is not the one that the other processes have at its path: each side must be able to
 * read what the other has just written. Resolves to null if there are no others.
 */
export async function verifySharedVolumes(options: VerifyScope): Promise<VerifiedVolumes | null> {
  let verified: VerifiedVolumes | null = null;
  for (const shared of options.directories) {
    verified = await verifySharedVolume(shared, options);
    if (verified?.isVerified === false) break;
  }
  return verified;
}

export function unverifiedWarning({ by }: VerifiedVolumes): string {
  return `The directories could not be compared with those of replica ${by.name}, which runs another version. Make sure that both use the same directories.`;
}

async function verifySharedVolume(
  { setting, directory }: SharedDirectory,
  options: VerifyScope,
): Promise<VerifiedVolumes | null> {
  const begunAt = options.clock.now();
  const refuse = (why: string) => new ConfigError([`${setting}: ${directory} ${why}`]);
  for (let failed = 0; ; ) {
    const other = await options.eldest();
    if (other === null) return null;
    const answer = await tryOnce(directory, other, options);
    if (answer === "shared" || answer === "not written") return { by: other, isVerified: true };
    if (answer === "not its own")
      throw refuse(`is not one of the directories of replica ${other.name}: use the same paths on all replicas.`);
    if (answer === "not found") failed += 1;
    if (failed === TRIES)
      throw refuse(`is not the same directory as on replica ${other.name}: mount the same volume on both.`);
    const waitedMs = options.clock.now() - begunAt;
    if (!other.showsDirectories && waitedMs > OLDER_MS) return { by: other, isVerified: false };
    if (waitedMs > ANSWER_MS)
      throw refuse(`cannot be compared with that of replica ${other.name}, which does not answer. Start again.`);
  }
}

/** `not written`: this process may not write there, so it changes nothing. */
async function tryOnce(
  directory: string,
  { id: to }: KnownReplica,
  { cluster, clock }: VerifyScope,
): Promise<Exclude<Answer, "wrote" | "read"> | "shared" | "not written" | "no answer"> {
  const [asked, reply] = [newMark(), newMark()];
  const answered = Promise.withResolvers<Answer | "no answer">();
  const cancel = clock.after(TRY_MS, () => answered.resolve("no answer"));
  const unsubscribe = cluster.subscribe("volumes", (about) => {
    const message = volumeMessageSchema.safeParse(fromJson(about)).data; // null if from another release
    if (message?.type === "answer" && message.mark === asked) answered.resolve(message.what);
  });
  try {
    await mkdir(directory, { recursive: true });
    await writeFile(fileOf(directory, asked), asked, { mode: 0o600, flag: "wx", flush: true });
    await cluster.publish(
      "volumes",
      JSON.stringify({ type: "ask", to, directory, mark: asked, reply } satisfies VolumeMessage),
    );
    const answer = await answered.promise;
    if (answer !== "wrote") return answer === "read" ? "shared" : answer;
    return (await readFile(fileOf(directory, reply), "utf8")) === reply ? "shared" : "not found";
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return code === "ENOENT" ? "not found" : "not written";
  } finally {
    cancel();
    unsubscribe();
    for (const name of [asked, reply]) await rm(fileOf(directory, name), { force: true }).catch(() => undefined); // read-only
  }
}

function newMark(): string {
  return randomBytes(8).toString("hex");
}
