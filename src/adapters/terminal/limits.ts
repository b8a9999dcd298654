import type { PlatformLimits } from "../../core/platform/descriptor.ts";

/** Our own limits, which keep messages readable, and lines between the two processes short. */
export const TERMINAL_LIMITS: PlatformLimits = {
  messageChars: 40_000,
  footerChars: 40_000,
  /** A live message is redrawn with every edit, and more than a screenful is not read. */
  editChars: 4_000,
  postsPerChannel: { burst: 100, everyMs: 10 },
  /** Ten edits a second are as many as the eye can follow. */
  editsPerWorkspace: { burst: 20, everyMs: 100 },
  answerParts: 10,
  attachmentBytes: 10 * 1024 * 1024,
};

/** Maximum size of a line from a terminal, in bytes: an attachment in base64 plus its envelope. */
export const LINE_BYTES = 15 * 1024 * 1024;
/** Maximum size of a line to a terminal, in bytes: the newest messages of a thread. */
export const ANSWER_BYTES = 64 * 1024 * 1024;
/** Maximum number of connections, all by the same person. */
export const CONNECTIONS = 32;
/** Maximum bytes of a socket's path, without the final zero. Source: sockaddr_un, 108 on Linux and 104 on macOS. */
export const SOCKET_PATH_BYTES = 103;
