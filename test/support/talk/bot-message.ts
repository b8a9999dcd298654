/** A message of the bot as people see it. */
interface BotMessage {
  readonly text: string;
  /** Their ids. */
  readonly buttons: readonly string[];
}

/** What an answer may offer; a message with any other button shows progress, or asks. */
const OFFERS = /^(?:continue|retry|details):/;
/** The last line of a live message that has folded: `✓ 3 turns · 2 tools · 6 s`, `⏹ Stopped by @ana.` */
const FOLD_LINE = /^(?:[✓⚠✗] \d+ (?:turn|tool)s? · .*|⏹ .*)$/u;

/** Says what a run has come to: no progress, and no card that waits. */
export function isAnswer(message: BotMessage): boolean {
  return message.buttons.every((id) => OFFERS.test(id)) && !isFold(message);
}

/** A live message whose run has ended. */
export function isFold({ text, buttons }: BotMessage): boolean {
  const isLast = FOLD_LINE.test(text.trimEnd().split("\n").at(-1) ?? "");
  return isLast && buttons.some((id) => id.startsWith("details:"));
}
