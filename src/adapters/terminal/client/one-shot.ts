import { lineText } from "../../../core/protocol/shown.ts";
import type { MessageBody, PageMessage } from "../../render/local/wire.ts";
import { terminalLines } from "../format.ts";
import { addressed, agentProblem, type ChatOptions, type EndSignal } from "./chat.ts";
import { Conversation } from "./conversation.ts";
import { EXIT } from "./exit-codes.ts";
import { LinePrompt } from "./line-prompt.ts";
import { createScreen } from "./screen.ts";
import { askLines, dimLines, messageLines, moreLines, promptOf } from "./show.ts";
import { type Ask, type Change, Transcript } from "./transcript.ts";

/** One message and its answer: the answer on stdout, all else on stderr. Resolves to the exit code. */
export function askOnce(options: ChatOptions): Promise<number> {
  return new OneShot(options).run();
}

interface Said {
  readonly text: string;
  readonly isError: boolean;
}

function joined(said: readonly Said[]): string {
  return said.map(({ text }) => text).join("\n\n");
}

class OneShot {
  readonly #options: ChatOptions;
  readonly #conversation: Conversation;
  readonly #transcript = new Transcript();
  readonly #progress;
  readonly #ended = Promise.withResolvers<number>();
  /** Tool lines that were written, where they cannot be replaced. */
  readonly #told = new Set<string>();
  #answers: Said[] = [];
  /** What this person alone was told: the answer of a command, and an aside where there is another answer. */
  #notes: Said[] = [];
  readonly #prompt: LinePrompt;
  /** The message of what is asked, until it is decided: it is not asked for anew while its answer is on its way. */
  #asking: string | null = null;
  #hasLooked = false;
  #hasDenied = false;
  #isInterrupted = false;
  /** Where the message stands in its thread: what is above it was there before. */
  #askedAt: number | null = null;

  constructor(options: ChatOptions) {
    this.#options = options;
    const { stderr, hasColour } = options.io;
    this.#prompt = new LinePrompt({
      io: options.io,
      interrupted: () => this.#signal("SIGINT"),
      left: () => this.#leaveUndecided("⏸ This needs a decision. Decide with: deckhand chat --continue"),
    });
    this.#progress = createScreen({ stream: stderr, hasColour, input: () => this.#prompt.input });
    this.#conversation = new Conversation({
      reach: options.reach,
      shown: (message) => this.#show(message),
      told: ({ markdown, tone }) => {
        this.#note(markdown, tone === "error");
        // Told beside the thread, it may be why an answer was not taken.
        if (this.#prompt.input === null) this.#asking = null;
      },
      status: () => {},
      settled: (state) => this.#settle(state),
      lost: () => this.#fail("✗ The connection to the bot is lost. What was asked is kept: deckhand chat --continue"),
    });
  }

  async run(): Promise<number> {
    this.#options.io.onSignal((signal) => this.#signal(signal));
    const code = await Promise.race([this.#talk(), this.#ended.promise]);
    this.#conversation.leave();
    this.#prompt.close();
    this.#progress.live([]);
    return code;
  }

  async #talk(): Promise<number> {
    if (!(await this.#conversation.connect())) {
      if (this.#notes.length > 0) this.#progress.print([joined(this.#notes)]);
      return EXIT.failed;
    }
    const problem = await agentProblem(this.#options.request.agent, this.#conversation);
    if (problem === null) this.#ask();
    else this.#fail(problem);
    return this.#ended.promise;
  }

  #ask(): void {
    const { request } = this.#options;
    const conversation = this.#conversation;
    const [newest] = conversation.threads;
    if (request.continues && newest !== undefined) conversation.goOnIn(newest.id);
    conversation.send(addressed(request.prompt ?? "", request.agent), request.files);
  }

  #show(message: PageMessage): void {
    if (message.body.by === "person" && message.id === this.#conversation.lastSent) this.#askedAt ??= message.position;
    const isBefore = this.#askedAt === null || message.position <= this.#askedAt;
    if (isBefore && !this.#transcript.concerns(message)) return;
    const change = this.#transcript.take(message);
    const [ask] = this.#transcript.waitedFor;
    if (this.#asking !== null && this.#asking !== ask?.messageId) {
      this.#asking = null;
      this.#prompt.drop();
    }
    if (change !== null) this.#draw(change);
  }

  #draw(change: Change): void {
    const style = this.#progress.style();
    switch (change.type) {
      case "live": {
        this.#progress.live(messageLines({ ...change.body, files: [] }, style));
        return this.#tellSteps(change.body);
      }
      case "ask":
        this.#progress.live([]);
        if (!change.ask.isWaitedFor) this.#progress.print(messageLines(change.ask.body, style));
        else if (this.#prompt.input !== null && this.#asking !== change.ask.messageId)
          this.#progress.print(moreLines(this.#transcript.waitedFor, style));
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
  #tellSteps({ shows }: MessageBody): void {
    if (this.#options.io.stderr.isTTY === true || shows?.type !== "live") return;
    const over = shows.lines.filter(({ isOver }) => isOver).map(lineText);
    const news = over.filter((line) => !this.#told.has(line));
    for (const line of news) this.#told.add(line);
    this.#progress.print(news.flatMap((line) => terminalLines(line, { ...this.#progress.style(), hasColour: false })));
  }

  #note(text: string, isError: boolean): void {
    this.#notes.push({ text, isError });
  }

  #settle(state: "idle" | "waiting"): void {
    if (state === "idle") return this.#finish();
    const { waitedFor } = this.#transcript;
    const [ask] = waitedFor;
    if (ask === undefined) return this.#lookForCards();
    if (this.#asking === ask.messageId) return;
    this.#asking = ask.messageId;
    this.#progress.live([]);
    const { stdin, stderr } = this.#options.io;
    const isPersonThere = stdin.isTTY === true && stderr.isTTY === true;
    const shown = isPersonThere ? [ask] : waitedFor;
    this.#progress.print(shown.flatMap((each) => askLines(each, this.#progress.style())));
    if (isPersonThere) return this.#askPerson(ask);
    this.#leaveUndecided("⏸ This needs a decision, and nobody is at a terminal. Decide with: deckhand chat --continue");
  }

  /** A thread that is gone on with may wait for what was asked in it before: once, all of it is asked for. */
  #lookForCards(): void {
    const { threadId } = this.#conversation;
    if (this.#hasLooked || threadId === null) return;
    this.#hasLooked = true;
    this.#conversation.open(threadId);
  }

  #askPerson(ask: Ask): void {
    this.#prompt.ask(promptOf(ask), (line) => {
      const typed = line.trim();
      if (typed === "") return this.#askPerson(ask);
      const choice = ask.choices.find(({ key }) => key === typed);
      if (choice?.action.startsWith("approve:n") === true) this.#hasDenied = true;
      if (choice !== undefined) return this.#conversation.press(ask.messageId, choice.action);
      // Words answer a question, and leave an approval open.
      if (ask.choices.some(({ action }) => action.startsWith("approve:"))) this.#asking = null;
      this.#conversation.send(typed);
    });
  }

  #leaveUndecided(line: string): void {
    this.#progress.print([line]);
    this.#ended.resolve(EXIT.needsDecision);
  }

  #finish(): void {
    const { stdout } = this.#options.io;
    const all = [...this.#notes, ...this.#answers];
    const text = joined(this.#answers.length === 0 ? all : this.#answers);
    const hasFailed = all.length === 0 || all.some(({ isError }) => isError);
    if (this.#isInterrupted) return this.#ended.resolve(EXIT.SIGINT);
    const aside = joined(hasFailed ? all : this.#answers.length === 0 ? [] : this.#notes);
    if (aside !== "") this.#progress.print(terminalLines(aside, this.#progress.style()));
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

  #signal(signal: EndSignal): void {
    const isOver = signal !== "SIGINT" || this.#isInterrupted || this.#conversation.threadId === null;
    if (isOver) return this.#ended.resolve(EXIT[signal]);
    this.#isInterrupted = true;
    this.#conversation.stop();
  }
}
