import type { PlatformLimits } from "../../core/protocol/platform.ts";

/** Nothing outside the program imposes these: they keep a message readable, and a line between two processes small. */
export const TERMINAL_LIMITS: PlatformLimits = {
  messageChars: 40_000,
  footerChars: 40_000,
  /** A live message is drawn anew with every edit, and nobody reads more of it than a screen. */
  editChars: 4_000,
  postsPerChannel: { burst: 100, everyMs: 10 },
  /** Ten edits a second are as many as an eye follows. */
  editsPerWorkspace: { burst: 20, everyMs: 100 },
  answerParts: 10,
  attachmentBytes: 10 * 1024 * 1024,
};

/** Bytes of one line from the person's end: an attachment in base64, and what is around it. */
export const LINE_BYTES = 15 * 1024 * 1024;
/** Bytes of one line to the person's end: a thread's newest messages. */
export const ANSWER_BYTES = 64 * 1024 * 1024;
/** Connections at a time; each is a terminal of the same person. */
export const CONNECTIONS = 32;
/** Bytes of a socket's path, the last one a zero. Source: sockaddr_un, 108 on Linux and 104 on macOS. */
export const SOCKET_PATH_BYTES = 103;
