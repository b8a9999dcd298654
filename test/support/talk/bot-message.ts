/** A message of the bot as people see it. */
interface BotMessage {
  readonly text: string;
  /** Ids of its buttons. */
  readonly buttons: readonly string[];
}

/** Buttons that an answer may have; a message with any other button shows progress or asks something. */
const OFFERS = /^(?:continue|retry|details):/;
/** Last line of a folded live message: `✓ 3 turns · 2 tools · 6 s`, `⏹ Stopped by @ana.` */
const FOLD_LINE = /^(?:[✓⚠✗] \d+ (?:turn|tool)s? · .*|⏹ .*)$/u;

/** Whether the message is a run's outcome, as opposed to progress or a waiting card. */
export function isAnswer(message: BotMessage): boolean {
  return message.buttons.every((id) => OFFERS.test(id)) && !isFold(message);
}

/** Whether it is a live message whose run has ended. */
export function isFold({ text, buttons }: BotMessage): boolean {
  const isLast = FOLD_LINE.test(text.trimEnd().split("\n").at(-1) ?? "");
  return isLast && buttons.some((id) => id.startsWith("details:"));
}
