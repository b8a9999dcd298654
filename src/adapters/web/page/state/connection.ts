import type { ClientFrame, ServerFrame } from "../../wire.ts";

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 5_000;
/** Consecutive failed sockets, while the server answers, after which a proxy is assumed to block them. */
const BLOCKED_AFTER = 3;

export interface ConnectionEvents {
  opened(): void;
  received(frame: ServerFrame): void;
  lost(): void;
  /** The server answers, but no socket opens. */
  blocked(): void;
  /** The server answers, but does not accept the page's key, or the sign-in has expired. */
  locked(): void;
}

/** Opens a socket that reconnects by itself. `send` returns false while it is not open. */
export function connect(events: ConnectionEvents): { readonly send: (frame: ClientFrame) => boolean } {
  let socket: WebSocket | null = null;
  let delayMs = FIRST_DELAY_MS;
  let unopened = 0;

  const retry = (): void => {
    if (unopened < BLOCKED_AFTER) events.lost();
    else events.blocked();
    // Jitter keeps several open pages from reconnecting at the same instant.
    setTimeout(() => checkThenOpen(), delayMs * (0.75 + Math.random() / 2));
    delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
  };
  const checkThenOpen = (): void => {
    // A refused socket gives no reason, but an ordinary request does. A proxy with a sign-in of its own redirects the
    // request once that sign-in has expired.
    fetch("/session", { redirect: "manual" }).then(
      ({ ok, status, type }) => (status === 401 || type === "opaqueredirect" ? events.locked() : open(ok)),
      () => {
        unopened = 0;
        retry();
      },
    );
  };
  const open = (isServed: boolean): void => {
    unopened = isServed ? unopened + 1 : 0;
    socket = new WebSocket(`${location.origin.replace(/^http/u, "ws")}/live`);
    socket.addEventListener("open", () => {
      unopened = 0;
      events.opened();
    });
    socket.addEventListener("message", ({ data }) => {
      const frame = parse(data);
      if (frame.type === "welcome") delayMs = FIRST_DELAY_MS;
      events.received(frame);
    });
    socket.addEventListener("close", () => {
      socket = null;
      retry();
    });
  };
  open(true);

  return {
    send: (frame) => {
      if (socket?.readyState !== WebSocket.OPEN) return false;
      socket.send(JSON.stringify(frame));
      return true;
    },
  };
}

/** Parses a frame without validating it, because the server that sent it also served this page. */
function parse(data: unknown): ServerFrame {
  return JSON.parse(String(data));
}
