import { bytesOfLatin1, latin1Of, utf8Bytes } from "../../runtime/text-encoding.ts";
import { type Call, pipedBytes, Refusal, textCommand } from "./command.ts";

/** Sets of characters are texts with one character for each byte, because tr knows only bytes. */
type Bytes = string;

const ALL: Bytes = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join("");
const ESCAPES = new Map(Array.from("abtnvfr", (letter, at) => [letter, 7 + at]));
/** The classes in ASCII. */
const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /[0-9A-Za-z]/g,
  alpha: /[A-Za-z]/g,
  blank: /[ \t]/g,
  cntrl: /[^\P{Cc}\u0080-\u009f]/gu,
  digit: /[0-9]/g,
  graph: /[!-~]/g,
  lower: /[a-z]/g,
  print: /[ -~]/g,
  punct: /[!-/:-@[-`{-~]/g,
  space: /[ \t\n\v\f\r]/g,
  upper: /[A-Z]/g,
  xdigit: /[0-9A-Fa-f]/g,
};

/** `[:class:]`, `[=c=]`, `[c*n]`, a range, or one character, each of which may be escaped. */
const PART =
  /\[:(?<name>\w+):\]|\[=(?<same>\\(?:[0-7]{1,3}|[^]|$)|[^\\])=\]|\[(?<repeated>\\(?:[0-7]{1,3}|[^]|$)|[^\\])\*(?<count>\d*)\]|(?<from>\\(?:[0-7]{1,3}|[^]|$)|[^\\])-(?<to>\\(?:[0-7]{1,3}|[^]|$)|[^\\])|(?<one>\\(?:[0-7]{1,3}|[^]|$)|[^\\])/g;

/** `tr`. */
export const TR = textCommand(
  "tr",
  {
    flags: "cCdst",
    long: { complement: "c", delete: "d", "squeeze-repeats": "s", "truncate-set1": "t" },
    bytes: true,
  },
  async (call) => translated(call, pipedBytes(call.context)),
);

function translated({ flags, operands }: Call, input: Bytes): Bytes {
  const [deletes, squeezes] = [flags.has("d"), flags.has("s")];
  const [first, second, ...others] = operands.map(utf8Bytes);
  if (first === undefined) throw new Refusal("missing operand");
  if (second === undefined && deletes === squeezes) throw new Refusal(`missing operand after '${operands[0]}'`);
  const extra = others[0] ?? (deletes && !squeezes ? second : undefined);
  if (extra !== undefined) throw new Refusal(`extra operand '${extra}'`);
  const named = setOf(first, 0);
  const set =
    flags.has("c") || flags.has("C")
      ? Array.from(ALL)
          .filter((byte) => !named.includes(byte))
          .join("")
      : named;
  let output = input;
  if (deletes) output = input.replace(new RegExp(`${classOf(set)}{1,999}`, "g"), "");
  else if (second !== undefined) {
    const target = setOf(second, set.length);
    if (target === "" && !flags.has("t")) throw new Refusal("when not truncating set1, string2 must be non-empty");
    const taken = flags.has("t") ? set.slice(0, target.length) : set;
    output = replaced(input, taken, target);
  }
  if (!squeezes) return output;
  const repeated = classOf(second === undefined ? set : setOf(second, set.length));
  // A repetition in the pattern, unless it is a short one, would take memory for each byte.
  return output.replace(new RegExp(`(${repeated})(?=\\1)`, "g"), "");
}

/** The source of a pattern for the bytes of a set. */
function classOf(set: Bytes): string {
  return `[${set.replace(/[\\\]^-]/g, "\\$&")}]`;
}

/** Replaces each byte of one set by the one at the same place of the other, which its last byte continues. */
function replaced(input: Bytes, set: Bytes, target: Bytes): Bytes {
  const table = bytesOfLatin1(ALL);
  for (const [at, byte] of Array.from(set).entries())
    table[byte.charCodeAt(0)] = target.charCodeAt(Math.min(at, target.length - 1));
  return latin1Of(bytesOfLatin1(input).map((byte) => table[byte] ?? byte));
}

/** The characters of a set; a repetition without a count extends it to the given length. */
function setOf(text: Bytes, length: number): Bytes {
  let set = "";
  for (const { groups = {} } of text.matchAll(PART)) {
    const { name, same, repeated, count = "", from, to, one } = groups;
    if (name !== undefined) set += bytesOfClass(name);
    else if (repeated !== undefined) {
      const rest = Math.max(length - set.length, 0);
      const times = Number.parseInt(count, count.startsWith("0") ? 8 : 10) || rest;
      set += byteOf(repeated).repeat(times);
    } else if (from !== undefined && to !== undefined) set += rangeOf(from, to);
    else set += byteOf(same ?? one ?? "");
  }
  return set;
}

function bytesOfClass(name: string): Bytes {
  const bytes = CLASSES[name];
  if (bytes === undefined) throw new Refusal(`invalid character class '${name}'`);
  return (ALL.match(bytes) ?? []).join("");
}

function rangeOf(from: string, to: string): Bytes {
  const [first, last] = [byteOf(from), byteOf(to)];
  if (first > last) throw new Refusal(`range-endpoints of '${from}-${to}' are in reverse collating sequence order`);
  return ALL.slice(first.charCodeAt(0), last.charCodeAt(0) + 1);
}

function byteOf(character: string): Bytes {
  if (character.length === 1) return character;
  const escape = character.slice(1);
  if (/^[0-7]/.test(escape)) return String.fromCharCode(Number.parseInt(escape, 8) & 255);
  return String.fromCharCode(ESCAPES.get(escape) ?? escape.charCodeAt(0));
}
