import { figure } from "../../../core/text/dollars.ts";

/** `1 turn`, `1,200 tokens`. */
export function count(n: number, noun: string): string {
  return `${figure(n)} ${noun}${n === 1 ? "" : noun.endsWith("ch") ? "es" : "s"}`;
}
