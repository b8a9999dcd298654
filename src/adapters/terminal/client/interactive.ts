import { createInterface, type Interface } from "node:readline";
import { callbackify } from "node:util";
import type { OutgoingFile } from "../../../core/platform/outgoing.ts";
import { plainLine, visibleText } from "../../../core/text/plain-text.ts";
import { sizeText } from "../../../core/text/sizes.ts";
import type { PageMessage } from "../../render/local/wire.ts";
import { tinted } from "../format.ts";
import { fileToAttach, pathCompletions } from "./attached-file.ts";
import { agentProblem, type ChatOptions, type EndSignal, withAgentMention } from "./chat.ts";
import { Conversation } from "./conversation.ts";
import { EXIT } from "./exit-codes.ts";
import { clearTyped } from "./line-prompt.ts";
import { ReceivedFiles } from "./received-files.ts";
import { createScreen, type Screen } from "./screen.ts";
import { cardLines, choiceLines, dimLines, messageLines, PROMPT, promptOf, waitingCardLines } from "./show.ts";
import { type Card, type Change, choiceTyped, Transcript } from "./transcript.ts";

/** Number of earlier messages shown when a thread is continued. */
const SHOWN_BEFORE = 6;
/** Saves the files of the newest message, or the named one. */
const SAVE = "/save";
/** Attaches a file to the next message. */
const ATTACH = "/attach";
/** Commands, which take no files; that of a skill does. */
const COMMAND = /^\/(?!skill\b)/u;
/** Maximum length of a file's name as it is shown, in characters. */
const NAME_CHARS = 80;
const LEAVE: ReadonlySet<string> = new Set(["/quit", "/exit"]);

/** Holds a conversation until the person leaves. Resolves to the exit code. */
export function converse(options: ChatOptions): Promise<number> {
  return new Interactive(options).run();
}

/** Completions of a line: names of commands, or the program's suggestions for an argument. */
async function completionsOf(line: string, conversation: Conversation): Promise<string[]> {
  if (line.startsWith(`${ATTACH} `)) {
    const paths = await pathCompletions(line.slice(ATTACH.length).trimStart());
    return paths.map((found) => `${ATTACH} ${found}`);
  }
  const name = /^\/([a-z-]*)$/iu.exec(line)?.[1];
  if (name === undefined) {
    return /^[/@]/u.test(line) ? (await conversation.complete(line)).map(({ text }) => text) : [];
  }
  const names = [...conversation.commands.map((command) => command.name), "attach", "save", "quit"];
  return names.filter((each) => each.startsWith(name.toLowerCase())).map((each) => `/${each} `);
}

class Interactive {
  readonly #options: ChatOptions;
  readonly #conversation: Conversation;
  readonly #transcript = new Transcript();
  readonly #files = new ReceivedFiles((id) => this.#conversation.file(id));
  /** Files for the next message. */
  readonly #attached: OutgoingFile[];
  readonly #ended = Promise.withResolvers<number>();
  readonly #screen: Screen;
  #input: Interface | null = null;
  #isBusy = false;
  /** Ctrl-C was pressed, and nothing was typed since. */
  #isLeaving = false;
  #status = "";
  #live: readonly string[] = [];
  #agent: string | null;
  /** Collects the earlier messages of a continued thread until it has loaded; null afterwards. */
  #before: PageMessage[] | null = null;
  readonly #own = new Set<string>();
  /** The card that the prompt is for; only its keys act on it. */
  #offered: Card | null = null;

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#agent = options.request.agent;
    this.#attached = [...options.request.files];
    const { stdout, hasColour } = options.io;
    this.#screen = createScreen({ stream: stdout, hasColour, input: () => this.#input });
    this.#conversation = new Conversation({
      openStream: options.reach,
      onMessage: (message) => this.#take(message),
      onPrivateMessage: (message) => this.#screen.print(this.#linesOf({ files: [], ...message })),
      onStatus: (words) => {
        this.#status = words;
        this.#draw();
      },
      onIdle: (state) => this.#settle(state),
      onLost: () => this.#end(EXIT.failed, "✗ Lost the connection to the bot. Continue with: deckhand chat --continue"),
    });
  }

  async run(): Promise<number> {
    this.#options.io.onSignal((signal) => this.#signal(signal));
    const code = await Promise.race([this.#talk(), this.#ended.promise]);
    this.#conversation.leave();
    const input = this.#input;
    this.#input = null;
    input?.close();
    this.#screen.live([]);
    return code;
  }

  async #talk(): Promise<number> {
    if (!(await this.#conversation.connect())) return EXIT.failed;
    const problem = await agentProblem(this.#options.request.agent, this.#conversation);
    if (problem === null) this.#begin();
    else this.#end(EXIT.failed, problem);
    return this.#ended.promise;
  }

  #begin(): void {
    const { request } = this.#options;
    this.#openInput();
    const [newest] = this.#conversation.threads;
    if (request.continues && newest !== undefined) {
      this.#before = [];
      this.#conversation.open(newest.id);
    } else
      this.#screen.print(
        dimLines("Tell me what you want done. `/help` lists commands, Ctrl-D exits.", this.#screen.style()),
      );
    this.#screen.print(this.#attachedLines());
  }

  #openInput(): void {
    const { stdin, stdout } = this.#options.io;
    const input = createInterface({
      input: stdin,
      output: stdout,
      terminal: stdin.isTTY === true && stdout.isTTY === true,
      prompt: PROMPT,
      completer: callbackify(async (line: string): Promise<[string[], string]> => {
        return [await completionsOf(line, this.#conversation), line];
      }),
    });
    input.on("line", (line) => this.#typed(line));
    input.on("SIGINT", () => this.#signal("SIGINT"));
    input.on("close", () => this.#end(EXIT.answered));
    this.#input = input;
    input.prompt();
  }

  #typed(line: string): void {
    this.#isLeaving = false;
    const text = line.trim();
    if (LEAVE.has(text)) return this.#end(EXIT.answered);
    const [word = "", ...words] = text.split(" ");
    const named = words.join(" ").trim();
    const own = word === SAVE ? this.#save(named) : word === ATTACH ? this.#attach(named) : null;
    if (own !== null) {
      own.catch((error: unknown) => this.#screen.print([`✗ ${String(error)}`]));
      return this.#input?.prompt();
    }
    const ask = this.#offered;
    const choice = ask === null ? null : choiceTyped(ask, text);
    if (typeof choice === "string") {
      this.#screen.print([choice]);
      return this.#input?.prompt();
    }
    if (ask !== null && choice !== null) this.#conversation.click(ask.messageId, choice.action);
    else if (text !== "") {
      const files = COMMAND.test(text) ? [] : this.#attached.splice(0);
      this.#conversation.send(withAgentMention(text, this.#agent), files);
      this.#agent = null;
      if (this.#conversation.lastSent !== null) this.#own.add(this.#conversation.lastSent);
    }
    this.#isBusy ||= text !== "";
    this.#input?.prompt();
  }

  async #attach(typed: string): Promise<void> {
    const file = typed === "" ? "✗ Name a file, as in /attach report.pdf." : await fileToAttach(typed);
    if (typeof file !== "string") this.#attached.push(file);
    this.#screen.print(typeof file === "string" ? [file] : this.#attachedLines());
  }

  /** What goes with the next message. */
  #attachedLines(): string[] {
    const names = this.#attached.map(({ name, data }) => `${plainLine(name, NAME_CHARS)} (${sizeText(data.length)})`);
    return names.length === 0 ? [] : dimLines(`With your next message: ${names.join(", ")}.`, this.#screen.style());
  }

  async #save(name: string): Promise<void> {
    const files = this.#files.named(name);
    if (files.length === 0)
      this.#screen.print(
        dimLines(name === "" ? "There are no files to save." : `There is no file ${name}.`, this.#screen.style()),
      );
    for (const file of files) this.#screen.print([(await this.#files.save(file, this.#saveTo)).line]);
  }

  get #saveTo(): string {
    return this.#options.request.saveTo ?? ".";
  }

  /** A message's lines, with how to get its files. */
  #linesOf(message: Parameters<typeof messageLines>[0]): string[] {
    const style = this.#screen.style();
    this.#files.take(message.files);
    const lines = messageLines(message, style);
    if (message.files.length === 0) return lines;
    return [
      ...lines,
      ...dimLines(
        `\`/save\` saves ${message.files.length === 1 ? "it" : "them"} in ${this.#saveTo === "." ? "this directory" : this.#saveTo}.`,
        style,
      ),
    ];
  }

  #take(message: PageMessage): void {
    if (this.#before !== null) {
      this.#before.push(message);
      return;
    }
    const change = this.#own.has(message.id) ? null : this.#transcript.take(message);
    if (change !== null) this.#show(change);
  }

  #show(change: Change): void {
    const style = this.#screen.style();
    switch (change.type) {
      case "live":
        this.#live = messageLines({ ...change.body, files: [] }, style);
        this.#isBusy = true;
        return this.#draw();
      case "ask":
        return this.#showCard(change.ask);
      case "final":
        this.#live = this.#transcript.isLive ? this.#live : [];
        this.#draw();
        this.#screen.print(this.#finalLines(change));
        return this.#prompt();
    }
  }

  #finalLines({ kind, body }: Extract<Change, { type: "final" }>): string[] {
    const style = this.#screen.style();
    if (kind === "person") return ["", `${tinted(PROMPT, "dim", style)}${visibleText(body.markdown)}`];
    const lines = kind === "progress" ? dimLines(body.markdown, style) : ["", ...this.#linesOf(body)];
    const { currentCard: ask } = this.#transcript;
    if (ask?.body !== body) return lines;
    this.#offered = ask;
    return [...lines, ...choiceLines(ask, style)];
  }

  /** Shows one card at a time with its keys. Others wait, so that no key can be meant for them by mistake. */
  #showCard(card: Card): void {
    const style = this.#screen.style();
    if (this.#transcript.currentCard?.messageId !== card.messageId) {
      const { waitedFor } = this.#transcript;
      this.#screen.print(card.isWaitedFor ? waitingCardLines(waitedFor, style) : messageLines(card.body, style));
    } else if (this.#offered?.messageId === card.messageId) this.#screen.print(cardLines(card, style));
    this.#prompt();
  }

  #draw(): void {
    const words =
      this.#live.length > 0 || this.#status === ""
        ? []
        : [tinted(`⏳ ${visibleText(this.#status)}`, "dim", this.#screen.style())];
    this.#screen.live([...this.#live, ...words]);
  }

  /** Sets the prompt for the current card, and prints the card if it is new or asked again. */
  #prompt(): void {
    const { currentCard: ask } = this.#transcript;
    const before = this.#offered;
    this.#offered = ask;
    const isNew = ask !== null && ask.messageId !== before?.messageId;
    const input = this.#input;
    input?.setPrompt(promptOf(ask));
    // Clears a key typed for a card that somebody else has decided meanwhile, since it is not meant for the next one.
    if (input !== null && isNew && before?.choices.some(({ key }) => key === input.line.trim())) clearTyped(input);
    this.#screen.print(isNew ? cardLines(ask, this.#screen.style()) : []);
  }

  #settle(state: "idle" | "waiting"): void {
    if (this.#before !== null) this.#showBefore(this.#before);
    if (state === "waiting") return;
    this.#isBusy = false;
    this.#status = "";
    this.#live = this.#transcript.isLive ? this.#live : [];
    this.#draw();
  }

  /** Shows the end of a continued thread, and the cards that wait in it. */
  #showBefore(messages: readonly PageMessage[]): void {
    this.#before = null;
    for (const [index, message] of messages.entries()) {
      const change = this.#transcript.take(message);
      if (change !== null && (index >= messages.length - SHOWN_BEFORE || change.type !== "final")) this.#show(change);
    }
  }

  #signal(signal: EndSignal): void {
    if (signal !== "SIGINT" || this.#isLeaving) return this.#end(EXIT[signal]);
    this.#isLeaving = true;
    if (this.#isBusy) this.#conversation.stop();
    const style = this.#screen.style();
    this.#screen.print(
      dimLines(this.#isBusy ? "Stopping. Press Ctrl-C again to exit." : "Press Ctrl-C again to exit.", style),
    );
  }

  #end(code: number, line?: string): void {
    if (line !== undefined) this.#screen.print([line]);
    this.#ended.resolve(code);
  }
}
