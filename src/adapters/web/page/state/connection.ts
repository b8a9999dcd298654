import type { ClientFrame, ServerFrame } from "../../wire.ts";

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 5_000;
/** Sockets in a row that do not open although the server answers: something in between lets none through. */
const BLOCKED_AFTER = 3;

export interface ConnectionEvents {
  opened(): void;
  received(frame: ServerFrame): void;
  lost(): void;
  /** The server answers, but no socket opens. */
  blocked(): void;
  /** The server answers, but does not know our key, or nobody is signed in any more. */
  locked(): void;
}

/** A socket that comes back by itself. `send` is false while there is none. */
export function connect(events: ConnectionEvents): { readonly send: (frame: ClientFrame) => boolean } {
  let socket: WebSocket | null = null;
  let delayMs = FIRST_DELAY_MS;
  let unopened = 0;

  const retry = (): void => {
    if (unopened < BLOCKED_AFTER) events.lost();
    else events.blocked();
    // Spread, so that several open pages do not come back at the same instant.
    setTimeout(() => checkThenOpen(), delayMs * (0.75 + Math.random() / 2));
    delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
  };
  const checkThenOpen = (): void => {
    // A refused socket does not tell why; an ordinary request does. Where a proxy has people sign in, too, it leads
    // elsewhere once they have to do so again.
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

/** The server is the one that served this page: its frames are taken at their word. */
function parse(data: unknown): ServerFrame {
  return JSON.parse(String(data));
}
