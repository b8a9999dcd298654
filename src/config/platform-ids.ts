import { z } from "zod";
import { PLATFORMS } from "../platforms.ts";

/** What may stand in settings for something of a platform, as people write it: `slack:U…`. */
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

/** Somebody, or a workspace, as settings name them: `slack:U1`, `discord:role:1`. */
export const personSchema = oneOf(PEOPLE, "must be");
/** `slack:C1` */
export const channelKeySchema = oneOf(CHANNELS, "channels are named");

/** A check in code, and for editors the same as one pattern. */
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

/** `slack:T1/C1`, as jobs and the page's addresses have a channel with its workspace: the part behind the slash is meant. */
function meantBy(text: string, isOne: (text: string) => boolean): string {
  const meant = `${text.slice(0, text.indexOf(":") + 1)}${text.slice(text.lastIndexOf("/") + 1)}`;
  return meant !== text && isOne(meant) ? `; here it is ${meant}` : "";
}

/** `a, b or c` */
function either(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
