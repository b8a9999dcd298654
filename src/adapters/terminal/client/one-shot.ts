import { lineText } from "../../../core/protocol/shown.ts";
import type { MessageBody, PageMessage } from "../../render/local/wire.ts";
import { terminalLines } from "../format.ts";
import { agentProblem, type ChatOptions, type EndSignal, withAgentMention } from "./chat.ts";
import { Conversation } from "./conversation.ts";
import { EXIT } from "./exit-codes.ts";
import { LinePrompt } from "./line-prompt.ts";
import { ReceivedFiles } from "./received-files.ts";
import { createScreen } from "./screen.ts";
import { cardLines, dimLines, fileLine, messageLines, promptOf, waitingCardLines } from "./show.ts";
import { type Card, type Change, choiceTyped, Transcript } from "./transcript.ts";

/** Sends one message; prints the answer to stdout, and all else to stderr. Resolves to the exit code. */
export function askOnce(options: ChatOptions): Promise<number> {
  return new OneShot(options).run();
}

interface PrintedText {
  readonly text: string;
  readonly isError: boolean;
}

function joined(said: readonly PrintedText[]): string {
  return said.map(({ text }) => text).join("\n\n");
}

class OneShot {
  readonly #options: ChatOptions;
  readonly #conversation: Conversation;
  readonly #transcript = new Transcript();
  readonly #progress;
  readonly #ended = Promise.withResolvers<number>();
  /** Tool lines printed so far, where lines cannot be replaced. */
  readonly #printed = new Set<string>();
  #answers: PrintedText[] = [];
  /** Private messages: the answer to a command, or remarks beside another answer. */
  #notes: PrintedText[] = [];
  readonly #files = new ReceivedFiles((id) => this.#conversation.file(id));
  readonly #prompt: LinePrompt;
  /** Message id of the open question, until it is decided, so that it is not asked again while the answer is sent. */
  #promptedCard: string | null = null;
  /** What the thread was read again for. */
  readonly #readFor = new Set<"cards" | "answer">();
  /** Whether the finished live message was shown, which says how the run ended, and follows the answer. */
  #hasShownEnd = false;
  #hasDenied = false;
  #isInterrupted = false;
  /** Position of this terminal's message in the thread; everything up to it was there before. */
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
      openStream: options.reach,
      onMessage: (message) => this.#show(message),
      onPrivateMessage: ({ markdown, tone, files = [] }) => {
        this.#files.take(files);
        this.#note(markdown, tone === "error");
        // A private message may be the reason why the person's answer was not accepted.
        if (this.#prompt.input === null) this.#promptedCard = null;
      },
      onStatus: () => {},
      onIdle: (state) => this.#settle(state),
      onLost: () => this.#fail("✗ Lost the connection to the bot. Your message is kept: deckhand chat --continue"),
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
    if (request.continues && newest !== undefined) conversation.continueThread(newest.id);
    conversation.send(withAgentMention(request.prompt ?? "", request.agent), request.files);
  }

  #show(message: PageMessage): void {
    if (message.body.by === "person" && message.id === this.#conversation.lastSent) this.#askedAt ??= message.position;
    const isBefore = this.#askedAt === null || message.position <= this.#askedAt;
    if (isBefore && !this.#transcript.concerns(message)) return;
    const change = this.#transcript.take(message);
    const [ask] = this.#transcript.waitedFor;
    if (this.#promptedCard !== null && this.#promptedCard !== ask?.messageId) {
      this.#promptedCard = null;
      this.#prompt.drop();
    }
    if (change !== null) this.#draw(change);
  }

  #draw(change: Change): void {
    const style = this.#progress.style();
    switch (change.type) {
      case "live": {
        this.#progress.live(messageLines({ ...change.body, files: [] }, style));
        return this.#printSteps(change.body);
      }
      case "ask":
        this.#progress.live([]);
        if (!change.ask.isWaitedFor) this.#progress.print(messageLines(change.ask.body, style));
        else if (this.#prompt.input !== null && this.#promptedCard !== change.ask.messageId)
          this.#progress.print(waitingCardLines(this.#transcript.waitedFor, style));
        return;
      case "final":
        this.#files.take(change.body.files);
        if (change.kind === "answer") {
          this.#answers.push({ text: change.body.markdown, isError: change.body.tone === "error" });
          return;
        }
        if (change.kind === "person") return;
        if (change.kind === "progress") this.#hasShownEnd = true;
        if (change.kind === "note") return this.#note(change.body.markdown, change.body.tone === "error");
        this.#progress.live([]);
        this.#progress.print(dimLines(change.body.markdown, style));
    }
  }

  /** Where lines cannot be replaced, prints each step once, when it is over. */
  #printSteps({ shows }: MessageBody): void {
    if (this.#options.io.stderr.isTTY === true || shows?.type !== "live") return;
    const over = shows.lines.filter(({ isOver }) => isOver).map(lineText);
    const unprinted = over.filter((line) => !this.#printed.has(line));
    for (const line of unprinted) this.#printed.add(line);
    this.#progress.print(
      unprinted.flatMap((line) => terminalLines(line, { ...this.#progress.style(), hasColour: false })),
    );
  }

  /** Whether nothing has said yet how the request ended. */
  #isUnanswered(): boolean {
    return !this.#isInterrupted && !this.#hasShownEnd && this.#answers.length + this.#notes.length === 0;
  }

  #note(text: string, isError: boolean): void {
    this.#notes.push({ text, isError });
  }

  #settle(state: "idle" | "waiting"): void {
    if (state === "idle") {
      if (this.#isUnanswered() && this.#readThreadFor("answer")) return;
      this.#finish().catch((error: unknown) => this.#fail(`✗ ${String(error)}`));
      return;
    }
    const { waitedFor } = this.#transcript;
    const [ask] = waitedFor;
    if (ask === undefined) {
      this.#readThreadFor("cards");
      return;
    }
    if (this.#promptedCard === ask.messageId) return;
    this.#promptedCard = ask.messageId;
    this.#progress.live([]);
    const { stdin, stderr } = this.#options.io;
    const isPersonThere = stdin.isTTY === true && stderr.isTTY === true;
    const shown = isPersonThere ? [ask] : waitedFor;
    this.#progress.print(shown.flatMap((each) => cardLines(each, this.#progress.style())));
    if (isPersonThere) return this.#askPerson(ask);
    this.#leaveUndecided("⏸ This needs a decision, and nobody is at a terminal. Decide with: deckhand chat --continue");
  }

  /**
   * Reads the thread, once for each reason: a continued run may be waiting for an older card, and an answer may be
   * stored without having been announced, for example because the database was away. False if it was read before.
   */
  #readThreadFor(reason: "cards" | "answer"): boolean {
    const { threadId } = this.#conversation;
    if (this.#readFor.has(reason) || threadId === null) return false;
    this.#readFor.add(reason);
    this.#conversation.open(threadId);
    return true;
  }

  #askPerson(card: Card): void {
    this.#prompt.ask(promptOf(card), (line) => {
      const typed = line.trim();
      if (typed === "") return this.#askPerson(card);
      const choice = choiceTyped(card, typed);
      if (typeof choice === "string") {
        this.#progress.print([choice]);
        return this.#askPerson(card);
      }
      if (choice?.action.startsWith("approve:n") === true) this.#hasDenied = true;
      if (choice !== null) return this.#conversation.click(card.messageId, choice.action);
      // A text answers a question, but leaves an approval open.
      if (card.choices.some(({ action }) => action.startsWith("approve:"))) this.#promptedCard = null;
      this.#conversation.send(typed);
    });
  }

  #leaveUndecided(line: string): void {
    this.#progress.print([line]);
    this.#ended.resolve(EXIT.needsDecision);
  }

  async #finish(): Promise<void> {
    const { stdout } = this.#options.io;
    const areSaved = this.#isInterrupted || (await this.#deliverFiles());
    const all = [...this.#notes, ...this.#answers];
    const text = joined(this.#answers.length === 0 ? all : this.#answers);
    const hasFailed = !areSaved || all.length === 0 || all.some(({ isError }) => isError);
    if (this.#isInterrupted) return this.#ended.resolve(EXIT.SIGINT);
    if (this.#isUnanswered()) return this.#fail("✗ No answer arrived. Look for it with: deckhand chat --continue");
    const aside = joined(hasFailed ? all : this.#answers.length === 0 ? [] : this.#notes);
    if (aside !== "") this.#progress.print(terminalLines(aside, this.#progress.style()));
    const code = hasFailed ? EXIT.failed : this.#hasDenied ? EXIT.denied : EXIT.answered;
    if (hasFailed || text === "") return this.#ended.resolve(code);
    const screen = createScreen({ stream: stdout, hasColour: this.#options.io.hasColour, input: () => null });
    const lines =
      stdout.isTTY === true ? messageLines({ markdown: text, tone: "plain", files: [] }, screen.style()) : [text];
    stdout.write(`${lines.join("\n")}\n`, () => this.#ended.resolve(code));
  }

  /** Saves the files if a directory was given for them, and names them otherwise. False if one was not saved. */
  async #deliverFiles(): Promise<boolean> {
    const { saveTo } = this.#options.request;
    let areSaved = true;
    for (const file of this.#files.all()) {
      const { isSaved, line } =
        saveTo === null
          ? { isSaved: true, line: `${fileLine(file)} · save it with --save <directory>` }
          : await this.#files.save(file, saveTo);
      this.#progress.print([line]);
      areSaved &&= isSaved;
    }
    return areSaved;
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
