import { textCommand } from "../text/command.ts";
import { endlessText } from "./devices.ts";

/** Exit code of a command that ended because nobody reads its output, as `yes` always does. */
const UNREAD = 141;

export const YES = textCommand("yes", { flags: "" }, async ({ operands }) => [
  endlessText(`${operands.length === 0 ? "y" : operands.join(" ")}\n`),
  UNREAD,
]);
