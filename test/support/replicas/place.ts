/** A message of the bot as people see it, on whatever platform. */
export interface Shown {
  readonly id: string;
  readonly text: string;
  readonly buttons: readonly { readonly id: string; readonly label: string }[];
}

/** A conversation with the bot in one thread. */
export interface Thread {
  /** The folder of its sandbox root. */
  readonly folder: string;
  /** False until something can be said in it. */
  isOpen(): boolean;
  /** Resolves once the message is taken. */
  say(words: string): Promise<void>;
  /** The bot's messages, oldest first. */
  byBot(): readonly Shown[];
  /** Clicks a button of a message; another person does where there is one. */
  click(message: Shown, button: string, who?: "asker" | "another"): void;
}

/** One platform, seen by the people on it. */
export interface Place {
  readonly name: "slack" | "discord" | "page";
  /** Mentions the bot in one of its channels, by number from 0, in a new thread. */
  begin(words: string, channel: number): Promise<Thread>;
  /** Everything that the bot has posted anywhere. */
  all(): Promise<readonly Shown[]>;
  /** What the bot has asked for too often: the name of each call that was refused. */
  readonly rateLimited: () => readonly string[];
}

/** Buttons that wait for somebody, or that stop what goes on. */
const OPEN = /^(?:approve|answer|stop):/u;

/** Those of a message that make no sense any more once everything is over. */
export function openButtons({ buttons }: Shown): readonly string[] {
  return buttons.flatMap(({ id }) => (OPEN.test(id) ? [id] : []));
}
