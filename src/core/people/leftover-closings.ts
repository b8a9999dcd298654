import { toAppError } from "../protocol/errors.ts";
import type { Log } from "../protocol/log.ts";
import type { ChatPlatform } from "../protocol/platform.ts";
import type { Clock } from "../protocol/runtime.ts";
import type { UnclosedPost } from "../store/run/posts.ts";
import type { Store } from "../store/store.ts";
import { showClosed } from "./closing.ts";

export interface LeftoverClosings {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** The platform whose messages are meant; connected. */
  readonly platform: Pick<ChatPlatform, "descriptor" | "edit" | "find">;
}

/**
 * Live messages may lag behind the end of their run. Those that a process before this one had not
 * brought to their last state still look as if work went on: they are edited now.
 */
export async function closeLeftovers(options: LeftoverClosings): Promise<void> {
  const unclosed = await options.store.posts.unclosed();
  const here = unclosed.filter(({ thread }) => thread.platform === options.platform.descriptor.name);
  await Promise.all(here.map((post) => close(post, options)));
}

async function close({ key, thread, closing }: UnclosedPost, options: LeftoverClosings): Promise<void> {
  try {
    await showClosed(key, { ...closing, files: [] }, { ...options, session: { thread } });
  } catch (error) {
    options.log.warn({ key, code: toAppError(error).code }, "live_message_not_closed");
  }
}
