import { createInterface } from "node:readline";
import { stripped } from "../format.ts";
import type { Message } from "../wire.ts";
import { addressed, type ChatOptions } from "./chat.ts";
import { Conversation } from "./conversation.ts";
import { EXIT } from "./exit-codes.ts";
import { createScreen } from "./screen.ts";
import { askLines, dimLines, keysOf, messageLines } from "./show.ts";
import { type Ask, type Change, Transcript } from "./transcript.ts";

/** One message and its answer: the answer on stdout, all else on stderr. Resolves to the exit code. */
export function askOnce(options: ChatOptions): Promise<number> {
  return new OneShot(options).run();
}

class OneShot {
  readonly #options: ChatOptions;
  readonly #conversation: Conversation;
  readonly #transcript = new Transcript();
  readonly #progress;
  readonly #ended = Promise.withResolvers<number>();
  /** Tool lines that were written, where they cannot be replaced. */
  readonly #told = new Set<string>();
  #answers: { readonly text: string; readonly isError: boolean }[] = [];
  #asking: string | null = null;
  #hasDenied = false;
  #isInterrupted = false;
  /** Where the message stands in its thread: what is above it was there before. */
  #askedAt: number | null = null;

  constructor(options: ChatOptions) {
    this.#options = options;
    const { stderr, hasColour } = options.io;
    this.#progress = createScreen({ stream: stderr, hasColour, input: () => null });
    this.#conversation = new Conversation({
      reach: options.reach,
      shown: (message) => this.#show(message),
      told: ({ markdown, tone }) => this.#note(markdown, tone === "error"),
      status: () => {},
      settled: (state) => this.#settle(state),
      lost: () => this.#fail("✗ The connection to the bot is lost. What was asked is kept: deckhand chat --continue"),
    });
  }

  async run(): Promise<number> {
    const { request, io } = this.#options;
    io.onSignal((signal) => this.#signal(signal));
    const conversation = this.#conversation;
    if (!(await conversation.connect())) return EXIT.failed;
    const [newest] = conversation.threads;
    if (request.continues && newest !== undefined) conversation.goOnIn(newest.id);
    conversation.send(addressed(request.prompt ?? "", request.agent), request.files);
    const code = await this.#ended.promise;
    conversation.leave();
    this.#progress.live([]);
    return code;
  }

  #show(message: Message): void {
    if (message.body.by === "person" && message.id === this.#conversation.lastSent) this.#askedAt ??= message.position;
    if (this.#askedAt === null || message.position <= this.#askedAt) return;
    const change = this.#transcript.take(message);
    if (change !== null) this.#draw(change);
  }

  #draw(change: Change): void {
    const style = this.#progress.style();
    switch (change.type) {
      case "live": {
        const lines = messageLines({ ...change.body, files: [] }, style);
        this.#progress.live(lines);
        return this.#tellSteps(lines);
      }
      case "ask":
        this.#progress.live([]);
        return;
      case "final":
        if (change.kind === "answer") {
          this.#answers.push({ text: change.body.markdown, isError: change.body.tone === "error" });
          return;
        }
        if (change.kind === "person") return;
        if (change.kind === "note") return this.#note(change.body.markdown, change.body.tone === "error");
        this.#progress.live([]);
        this.#progress.print(dimLines(change.body.markdown, style));
    }
  }

  /** Where nothing can be replaced, each step is written once, when it is over. */
  #tellSteps(lines: readonly string[]): void {
    if (this.#options.io.stderr.isTTY === true) return;
    const over = lines.map(stripped).filter((line) => /^[✓✗⚠]/u.test(line) && !this.#told.has(line));
    for (const line of over) this.#told.add(line);
    this.#progress.print(over);
  }

  #note(text: string, isError: boolean): void {
    this.#answers.push({ text, isError });
  }

  #settle(state: "idle" | "waiting"): void {
    if (state === "idle") return this.#finish();
    const { ask } = this.#transcript;
    if (ask === null || this.#asking === ask.messageId) return;
    this.#asking = ask.messageId;
    this.#progress.live([]);
    this.#progress.print(askLines(ask, this.#progress.style()));
    const { stdin, stderr } = this.#options.io;
    if (stdin.isTTY === true && stderr.isTTY === true) return this.#askPerson(ask);
    this.#progress.print([
      "⏸ This needs a decision, and nobody is at a terminal. Decide with: deckhand chat --continue",
    ]);
    this.#ended.resolve(EXIT.needsDecision);
  }

  #askPerson(ask: Ask): void {
    const { stdin, stderr } = this.#options.io;
    const input = createInterface({ input: stdin, output: stderr });
    input.on("SIGINT", () => this.#signal("SIGINT"));
    input.question(`[${keysOf(ask)}] › `, (line) => {
      input.close();
      this.#asking = null;
      const typed = line.trim();
      const choice = ask.choices.find(({ key }) => key === typed);
      if (choice?.action.startsWith("approve:n") === true) this.#hasDenied = true;
      if (choice !== undefined) return this.#conversation.press(ask.messageId, choice.action);
      if (typed !== "") return this.#conversation.send(typed);
      return this.#askPerson(ask);
    });
  }

  #finish(): void {
    const { stdout } = this.#options.io;
    const text = this.#answers.map((answer) => answer.text).join("\n\n");
    const hasFailed = this.#answers.length === 0 || this.#answers.some(({ isError }) => isError);
    if (this.#isInterrupted) return this.#ended.resolve(EXIT.interrupted);
    if (hasFailed && text !== "") this.#progress.print([text]);
    const code = hasFailed ? EXIT.failed : this.#hasDenied ? EXIT.denied : EXIT.answered;
    if (hasFailed || text === "") return this.#ended.resolve(code);
    const screen = createScreen({ stream: stdout, hasColour: this.#options.io.hasColour, input: () => null });
    const lines =
      stdout.isTTY === true ? messageLines({ markdown: text, tone: "plain", files: [] }, screen.style()) : [text];
    stdout.write(`${lines.join("\n")}\n`, () => this.#ended.resolve(code));
  }

  #fail(line: string): void {
    this.#progress.print([line]);
    this.#ended.resolve(EXIT.failed);
  }

  #signal(signal: "SIGINT" | "SIGHUP" | "SIGTERM"): void {
    if (signal === "SIGHUP") return this.#ended.resolve(EXIT.hangup);
    if (signal === "SIGTERM") return this.#ended.resolve(EXIT.terminated);
    if (this.#isInterrupted || this.#conversation.threadId === null) return this.#ended.resolve(EXIT.interrupted);
    this.#isInterrupted = true;
    this.#conversation.stop();
  }
}
