import { type Socket } from "node:net";
import type { PageMessage } from "../../../src/adapters/render/local/wire.ts";
import {
  openProgramConnection,
  type ProgramConnection,
} from "../../../src/adapters/terminal/client/program-connection.ts";
import { openSocket } from "../../../src/adapters/terminal/socket.ts";
import type { ClientFrame, ParsedServerFrame } from "../../../src/adapters/terminal/wire.ts";

type FrameOf<T extends ParsedServerFrame["type"]> = Extract<ParsedServerFrame, { type: T }>;

/** A terminal at the socket of a home, through the program's own client. */
export class TerminalClient {
  readonly frames: ParsedServerFrame[] = [];
  readonly #socket: Socket;
  readonly #talk: ProgramConnection;
  /** Callers that wait for a frame; each is removed once it has taken one. */
  #waiting: ((frame: ParsedServerFrame) => boolean)[] = [];
  isOpen = true;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#talk = openProgramConnection(socket, {
      onFrame: (frame) => this.#hear(frame),
      onLost: () => {
        this.isOpen = false;
      },
    });
  }

  static async open(socketFile: string): Promise<TerminalClient> {
    const socket = await openSocket(socketFile);
    if (socket === null) throw new Error("nobody listens");
    const client = new TerminalClient(socket);
    client.say({ type: "hello", seq: null });
    await client.next("welcome");
    return client;
  }

  say(frame: ClientFrame): void {
    this.#talk.send(frame);
  }

  /** Writes raw bytes, which need not be a frame. */
  sayRaw(data: string | Uint8Array): void {
    this.#socket.write(data);
  }

  drop(): void {
    this.#socket.destroy();
  }

  /** The first frame that fits, among those after the first `after` frames; waits for it if necessary. */
  async next<T extends ParsedServerFrame["type"]>(
    type: T,
    fits: (frame: FrameOf<T>) => boolean = () => true,
    after = 0,
  ): Promise<FrameOf<T>> {
    const isOfType = (frame: ParsedServerFrame): frame is FrameOf<T> => frame.type === type;
    const isIt = (frame: ParsedServerFrame): frame is FrameOf<T> => isOfType(frame) && fits(frame);
    const heard = this.frames.slice(after).find(isIt);
    if (heard !== undefined) return heard;
    const { promise, resolve } = Promise.withResolvers<FrameOf<T>>();
    this.#waiting.push((frame) => {
      if (!isIt(frame)) return false;
      resolve(frame);
      return true;
    });
    return promise;
  }

  async thread(threadId: string): Promise<readonly PageMessage[]> {
    const heard = this.frames.length;
    this.say({ type: "open", threadId, before: null });
    const frame = await this.next("thread", () => true, heard);
    return frame.messages ?? [];
  }

  /** Resolves once the message or click is acknowledged or refused by a frame after the first `heard` frames. */
  async answerTo(id: string, heard: number): Promise<void> {
    await Promise.race([
      this.next("sent", ({ clientId }) => clientId === id, heard),
      this.next("clicked", ({ clickId }) => clickId === id, heard),
      this.next("reply", ({ clickId }) => clickId === id, heard),
      this.next("failed", (frame) => frame.id === id, heard),
    ]);
  }

  #hear(frame: ParsedServerFrame): void {
    this.frames.push(frame);
    this.#waiting = this.#waiting.filter((take) => !take(frame));
  }
}
