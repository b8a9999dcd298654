import { z } from "zod";
import { type ContentBlock, toolUsesOf } from "../../core/protocol/messages.ts";
import type { Store } from "../../core/store/store.ts";
import { type SecretMasking, secretMasking } from "../../core/text/secret-masking.ts";
import { isSecretName } from "../../core/text/secret-name.ts";
import { isBlank, likelyTokens } from "../../core/text/token-shapes.ts";
import type { Label } from "../../core/trust/label.ts";

/**
 * The values in files that look like secrets, once somebody has had a file read. Posts never contain them; people who
 * may see such a file can have it attached.
 */
export interface FileSecrets extends SecretMasking {
  /**
   * Learns the values in a text that was read, if its label says that it holds secrets. `input` is the input of the
   * call that read it.
   */
  learn(content: readonly ContentBlock[], label: Label | undefined, input?: unknown): void;
  /** Describes the known values contained in plain data for people: `secret DB_PASSWORD of .env, 12 characters`. */
  foundIn(data: unknown): readonly string[];
}

/** The program's own tokens and keys, and the values of secret files. */
export interface ProgramSecrets extends SecretMasking {
  readonly files: FileSecrets;
}

/** Text shown to people in place of a value: enough to decide whether it may go where a card says it would go. */
export function maskOf(value: string, description = describeSecret({ name: null, value, file: null })): string {
  return `[${description}; ask for its file to see it]`;
}
/** Minimum characters of a value; masking shorter ones would mutilate ordinary text. */
const SHORTEST = { value: 8, encoded: 10 };
/** Maximum number of values to keep; the oldest are dropped. */
const MOST = 1_000;

export function fileSecrets(): FileSecrets {
  const known = new Map<string, KnownSecret>();
  const masking = (shown: (value: string) => string) => secretMasking([...known.keys()], { shortest: SHORTEST, shown });
  const shown = (value: string) => maskOf(value, known.get(value)?.description);
  let masks = masking(shown);
  return {
    learn(content, label, input) {
      if (label?.holds.includes("secrets") !== true) return;
      const file = fileRead(input);
      const found = textsIn(content)
        .flatMap(secretsIn)
        .filter(({ value }) => !known.has(value) || (file !== null && known.get(value)?.file === null));
      if (found.length === 0) return;
      for (const { value } of found) known.set(value, { file, description: "" });
      for (const value of [...known.keys()].slice(0, -MOST)) known.delete(value);
      // Names and paths may contain secret values too.
      const { hideIn } = masking(() => "...");
      for (const { name, value } of found) {
        if (known.has(value))
          known.set(value, { file, description: describeSecret({ ...hideIn({ name, file }), value }) });
      }
      masks = masking(shown);
    },
    foundIn(data) {
      const found = new Set<string>();
      masking((value) => {
        found.add(known.get(value)?.description ?? "");
        return "";
      }).hideIn(data);
      return [...found];
    },
    hide: (text) => masks.hide(text),
    hideIn: (value) => masks.hideIn(value),
    hideInBytes: (data) => masks.hideInBytes(data),
  };
}

interface KnownSecret {
  /** Null until the file that the value was read from is known. */
  readonly file: string | null;
  readonly description: string;
}

/** Maximum characters of a name or a path. */
const NAME_CHARS = 80;
/** Characters that could imitate another part of a post. */
const UNUSUAL = /[^\w./+ -]/gu;

function describeSecret({ name, value, file }: FileSecret & { readonly file: string | null }): string {
  const plain = (text: string) => text.replaceAll(UNUSUAL, "?").slice(-NAME_CHARS);
  const which = [...(name === null ? [] : [plain(name)]), ...(file === null ? [] : [`of ${plain(file)}`])];
  return `${["secret", ...which].join(" ")}, ${value.length} characters`;
}

const readingSchema = z.object({ path: z.string() });

/** The file that a call's input names; null if it names none. */
function fileRead(input: unknown): string | null {
  return readingSchema.safeParse(input).data?.path ?? null;
}

/** The texts of a result that were read, without comments on them. */
function textsIn(content: readonly ContentBlock[]): string[] {
  return content.flatMap((block) => {
    if (block.type === "tool_result") return textsIn(block.content);
    return block.type === "text" ? [block.text] : [];
  });
}

/** How settings and code write a value beside its name. Values are searched as well: `"config": "TOKEN=value"`. */
const NAMED: readonly RegExp[] = [
  // `NAME=value`, `"name": "value"`, `name := value`, `"name" => "value"`.
  /([A-Za-z_][\w.-]{0,60})\\?["']?[ \t]{0,3}(?::{0,3}=>?|[?.+]{1,2}=|:)[ \t]{0,3}(?=(\\?"[^"\n]{1,2000}"|'[^'\n]{1,2000}'|`[^`\n]{1,2000}`|[^\s"'`,;\\<]{1,2000}))/gu,
  // `name: |` or `>`, with the value on the next line.
  /([A-Za-z_][\w.-]{0,60}):[ \t]{0,3}[|>][-+]?[ \t]{0,3}\r?\n[ \t]{1,40}(\S{1,2000})/gu,
  // `<name>value</name>`.
  /<([A-Za-z_][\w.-]{0,60})>\s{0,40}([^\s<]{1,2000})\s{0,40}<\//gu,
  // `"name": "NAME", "value": "value"`, `name="NAME" value="value"`.
  /\b(?:name|key)["']?[ \t]{0,3}[:=][ \t]{0,3}["']?([A-Za-z_][\w.-]{0,60})["']?,?\s{1,40}["']?value["']?[ \t]{0,3}[:=][ \t]{0,3}("[^"\n]{1,2000}"|'[^'\n]{1,2000}'|[^\s"',;]{1,2000})/giu,
  // `login name password value`, as in .netrc.
  /\blogin\s{1,9}\S{1,100}\s{1,9}(password)\s{1,9}(\S{1,200})/gu,
];
/** `host:port:database:user:password`, as in .pgpass. */
const PGPASS = /:(?:\d{1,5}|\*):[^:\s]{1,100}:[^:\s]{1,100}:(\S{1,200})$/gmu;
/** Prefixes of lines: `.env:3:` in search results, and the line number that `read` adds. */
const PLACE = /^(?:[^\s:=]{1,200}[:-]\d{1,9}[:-]|[ ]{0,9}\d{1,9}\t)/gmu;
/** `//name:password@host`. */
const IN_ADDRESS = /\/\/[^\s:@/]{0,100}:([^\s@/]{1,200})@/gu;
const KEY_BEGINS = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----/u;
const KEY_LINE = /[\w+/=]{16,}/gu;
export interface FileSecret {
  /** The name given to the value; null if it has none. */
  readonly name: string | null;
  readonly value: string;
}

/**
 * Finds the secrets in a file that looks like one: values named like credentials, tokens, and lines of private keys.
 */
export function secretsIn(found: string): FileSecret[] {
  const text = found.replaceAll(PLACE, "");
  const named = NAMED.flatMap((shape) => [...text.matchAll(shape)]).flatMap(([, name = "", value = ""]) =>
    isSecretName(name) || name.endsWith("key-data") ? valuesOf(value).map((each) => ({ name, value: each })) : [],
  );
  // The beginning of a .pgpass line looks like a search prefix, so the original text is searched.
  const unnamed = [...text.matchAll(IN_ADDRESS), ...found.matchAll(PGPASS)].map(([, value = ""]) => value);
  const others = [...unnamed, ...tokensIn(text)].map((value) => ({ name: null, value }));
  // Named values come last because a value's name, if it has one, wins.
  return [...others, ...named].filter(({ value }) => value.length >= SHORTEST.value && !isBlank(value));
}

/** The value without its quotes and, if it looks like an address, also without the parameters behind it. */
function valuesOf(written: string): string[] {
  const value = written.replaceAll(/^\\?["'`]|\\?["'`]$/gu, "");
  return [...new Set([value, ...value.split(/&\w{1,60}=/u, 1)])];
}

/** Finds texts that are secrets wherever they appear. */
export function tokensIn(text: string): string[] {
  return [...likelyTokens(text), ...keyLinesIn(text)];
}

function keyLinesIn(text: string): string[] {
  const [, ...bodies] = text.split(KEY_BEGINS);
  return bodies.flatMap((body) => body.split("-----END", 1)[0]?.match(KEY_LINE) ?? []);
}

/**
 * Wraps a store so that secrets in whatever is read from it are learnt and masked from then on, even after a restart.
 */
export function learnSecretsFrom(store: Store, { learn }: Pick<FileSecrets, "learn">): Store {
  const { messages, toolCalls } = store;
  const learned = <M extends Awaited<ReturnType<typeof messages.list>>>(history: M): M => {
    const uses = new Map(history.flatMap(({ content }) => toolUsesOf(content)).map(({ id, input }) => [id, input]));
    for (const { content, label } of history) {
      for (const block of content) {
        learn([block], label, block.type === "tool_result" ? uses.get(block.toolUseId) : undefined);
      }
    }
    return history;
  };
  return {
    ...store,
    messages: {
      ...messages,
      list: async (...asked) => learned(await messages.list(...asked)),
      split: async (...asked) => {
        const { before, ofRun } = await messages.split(...asked);
        return { before: learned(before), ofRun: learned(ofRun) };
      },
    },
    toolCalls: {
      ...toolCalls,
      ofRun: async (...asked) => {
        const calls = await toolCalls.ofRun(...asked);
        for (const { result, input } of calls) if (result !== null) learn(result.content, result.label, input);
        return calls;
      },
    },
  };
}
