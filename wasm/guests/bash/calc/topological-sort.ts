import type { CustomCommand } from "just-bash/browser";
import { inputsOf, Refusal, textCommand, textOf } from "../text/command.ts";

interface Item {
  readonly name: string;
  /** How many of the items before it are not yet printed. */
  waits: number;
  readonly next: Item[];
}

/** `tsort`, which prints items so that the first of each pair comes before the second. */
export const TSORT: CustomCommand = textCommand("tsort", { flags: "" }, async (call) => {
  const [name = "-", extra] = call.operands;
  if (extra !== undefined) throw new Refusal(`extra operand '${extra}'`);
  const [input] = await inputsOf(call, [name]);
  if (input === undefined) return "";
  const words = textOf(input)
    .split(/[ \t\n]+/)
    .filter((word) => word !== "");
  if (words.length % 2 !== 0) throw new Refusal(`${name}: input contains an odd number of tokens`);
  const items = new Map<string, Item>();
  const itemOf = (word: string): Item => {
    const found = items.get(word) ?? { name: word, waits: 0, next: [] };
    items.set(word, found);
    return found;
  };
  for (let at = 0; at < words.length; at += 2) {
    const [before, behind] = [itemOf(words[at] ?? ""), itemOf(words[at + 1] ?? "")];
    if (before === behind) continue;
    before.next.unshift(behind);
    behind.waits += 1;
  }
  const printed = sorted([...items.values()].sort((a, b) => (a.name < b.name ? -1 : 1)));
  if (printed.length < items.size) throw new Refusal(`${name}: input contains a loop`);
  return printed.map((item) => `${item.name}\n`).join("");
});

function sorted(items: readonly Item[]): readonly Item[] {
  const ready = items.filter(({ waits }) => waits === 0);
  for (const item of ready)
    for (const behind of item.next) {
      behind.waits -= 1;
      if (behind.waits === 0) ready.push(behind);
    }
  return ready;
}
