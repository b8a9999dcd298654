/** A message of the bot as people see it, on any platform. */
export interface Shown {
  readonly id: string;
  readonly text: string;
  readonly buttons: readonly { readonly id: string; readonly label: string }[];
}

/** A conversation with the bot in one thread. */
export interface Thread {
  /** Folder of its sandbox root. */
  readonly folder: string;
  /** False until messages can be sent in it. */
  isOpen(): boolean;
  /** Resolves once the message is accepted. */
  say(words: string): Promise<void>;
  /** The bot's messages, oldest first. */
  byBot(): readonly Shown[];
  /** Clicks a button of a message, as another person if the platform has one. */
  click(message: Shown, button: string, who?: "asker" | "another"): void;
}

/** A platform from the point of view of its people. */
export interface Place {
  readonly name: "slack" | "discord" | "page";
  /** Mentions the bot in one of its channels, numbered from 0, in a new thread. */
  begin(words: string, channel: number): Promise<Thread>;
  /** Everything that the bot has posted anywhere. */
  all(): Promise<readonly Shown[]>;
  /** Names of the calls that were refused for exceeding a rate limit. */
  readonly rateLimited: () => readonly string[];
}

/** Buttons that await a decision, or stop work in progress. */
const OPEN = /^(?:approve|answer|stop):/u;

/** Buttons of a message that are obsolete once everything is over. */
export function openButtons({ buttons }: Shown): readonly string[] {
  return buttons.flatMap(({ id }) => (OPEN.test(id) ? [id] : []));
}
