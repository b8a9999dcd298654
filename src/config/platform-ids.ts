import { z } from "zod";
import { PLATFORMS } from "../platforms.ts";

/** The form of an id in settings: `slack:U…`. */
interface Form {
  readonly prefix: string;
  readonly id: RegExp;
  readonly written: string;
}

const PEOPLE: readonly Form[] = [...PLATFORMS.values()].flatMap(({ name, ids }) =>
  ids.people.map(({ id, written }) => ({ prefix: `${name}:`, id, written: `${name}:${written}` })),
);
const CHANNELS: readonly Form[] = [...PLATFORMS.values()].map(({ name, ids: { channel } }) => ({
  prefix: `${name}:`,
  id: channel.id,
  written: `${name}:${channel.written}`,
}));

/** A person, role or workspace in settings: `slack:U1`, `discord:role:1`. */
export const personSchema = oneOf(PEOPLE, "must be");
/** A channel in settings: `slack:C1`. */
export const channelKeySchema = oneOf(CHANNELS, "channels are named");

/** Validates in code, and provides a single pattern for editors. */
function oneOf(forms: readonly Form[], must: string) {
  const pattern = `^(${forms.map(({ prefix, id }) => `${prefix}${id.source.slice(1, -1)}`).join("|")})$`;
  const isOne = (text: string) =>
    forms.some(({ prefix, id }) => text.startsWith(prefix) && id.test(text.slice(prefix.length)));
  const usual = `${must} ${either(forms.map(({ written }) => written))}`;
  return z
    .string()
    .refine(isOne, { error: ({ input }) => `${usual}${meantBy(String(input), isOne)}` })
    .meta({ pattern });
}

/** Suggests the form without a workspace for `slack:T1/C1`, which jobs and the page's addresses use. */
function meantBy(text: string, isOne: (text: string) => boolean): string {
  const meant = `${text.slice(0, text.indexOf(":") + 1)}${text.slice(text.lastIndexOf("/") + 1)}`;
  return meant !== text && isOne(meant) ? `; write ${meant} here` : "";
}

/** `a, b or c` */
function either(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
