import { z } from "zod";
import { type ContentBlock, toolUsesOf } from "../../core/protocol/messages.ts";
import type { Store } from "../../core/store/store.ts";
import { type SecretMasking, secretMasking } from "../../core/text/secret-masking.ts";
import { isSecretName } from "../../core/text/secret-name.ts";
import { isBlank, likelyTokens } from "../../core/text/token-shapes.ts";
import type { Label } from "../../core/trust/label.ts";

/**
 * The values in files that look like secrets, as far as anybody has had one read. Nothing that is posted holds them: people
 * who may see such a file have it attached.
 */
export interface FileSecrets extends SecretMasking {
  /** Takes the values from what was read, where its label says that it holds secrets. `input`: the call's that read it. */
  learn(content: readonly ContentBlock[], label: Label | undefined, input?: unknown): void;
  /** Which of the values stand in plain data, as people read it: `secret DB_PASSWORD of .env, 12 characters`. */
  foundIn(data: unknown): readonly string[];
}

/** The program's own tokens and keys, and the values of files. */
export interface ProgramSecrets extends SecretMasking {
  readonly files: FileSecrets;
}

/** What people read in place of a value: enough to decide whether it may go where a card says that it would. */
export function maskOf(value: string, told = toldOf({ name: null, value, file: null })): string {
  return `[${told}; have its file attached to see it]`;
}
/** Shorter values would tear holes into what people say. Characters. */
const SHORTEST = { value: 8, encoded: 10 };
/** Values that are kept, the newest. */
const MOST = 1_000;

export function fileSecrets(): FileSecrets {
  const known = new Map<string, KnownSecret>();
  const masking = (shown: (value: string) => string) => secretMasking([...known.keys()], { shortest: SHORTEST, shown });
  const shown = (value: string) => maskOf(value, known.get(value)?.told);
  let masks = masking(shown);
  return {
    learn(content, label, input) {
      if (label?.holds.includes("secrets") !== true) return;
      const file = fileRead(input);
      const found = textsIn(content)
        .flatMap(secretsIn)
        .filter(({ value }) => !known.has(value) || (file !== null && known.get(value)?.file === null));
      if (found.length === 0) return;
      for (const { value } of found) known.set(value, { file, told: "" });
      for (const value of [...known.keys()].slice(0, -MOST)) known.delete(value);
      // Names and paths may hold values as well.
      const { hideIn } = masking(() => "...");
      for (const { name, value } of found) {
        if (known.has(value)) known.set(value, { file, told: toldOf({ ...hideIn({ name, file }), value }) });
      }
      masks = masking(shown);
    },
    foundIn(data) {
      const found = new Set<string>();
      masking((value) => {
        found.add(known.get(value)?.told ?? "");
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
  /** Null until it is known which one it was read from. */
  readonly file: string | null;
  readonly told: string;
}

/** Characters of a name or a path. */
const NAME_CHARS = 80;
/** What could look like another part of what is posted. */
const UNUSUAL = /[^\w./+ -]/gu;

function toldOf({ name, value, file }: FileSecret & { readonly file: string | null }): string {
  const plain = (text: string) => text.replaceAll(UNUSUAL, "?").slice(-NAME_CHARS);
  const which = [...(name === null ? [] : [plain(name)]), ...(file === null ? [] : [`of ${plain(file)}`])];
  return `${["secret", ...which].join(" ")}, ${value.length} characters`;
}

const readingSchema = z.object({ path: z.string() });

/** The file that a call has named; null where it named none. */
function fileRead(input: unknown): string | null {
  return readingSchema.safeParse(input).data?.path ?? null;
}

/** What was read, and not what was said of it. */
function textsIn(content: readonly ContentBlock[]): string[] {
  return content.flatMap((block) => {
    if (block.type === "tool_result") return textsIn(block.content);
    return block.type === "text" ? [block.text] : [];
  });
}

/** As settings and code put a value beside its name. What is in a value is looked at as well: `"config": "TOKEN=value"`. */
const NAMED: readonly RegExp[] = [
  // `NAME=value`, `"name": "value"`, `name := value`, `"name" => "value"`
  /([A-Za-z_][\w.-]{0,60})\\?["']?[ \t]{0,3}(?::{0,3}=>?|[?.+]{1,2}=|:)[ \t]{0,3}(?=(\\?"[^"\n]{1,2000}"|'[^'\n]{1,2000}'|`[^`\n]{1,2000}`|[^\s"'`,;\\<]{1,2000}))/gu,
  // `name: |` or `>`, and the value on the next line
  /([A-Za-z_][\w.-]{0,60}):[ \t]{0,3}[|>][-+]?[ \t]{0,3}\r?\n[ \t]{1,40}(\S{1,2000})/gu,
  // `<name>value</name>`
  /<([A-Za-z_][\w.-]{0,60})>\s{0,40}([^\s<]{1,2000})\s{0,40}<\//gu,
  // `"name": "NAME", "value": "value"`, `name="NAME" value="value"`
  /\b(?:name|key)["']?[ \t]{0,3}[:=][ \t]{0,3}["']?([A-Za-z_][\w.-]{0,60})["']?,?\s{1,40}["']?value["']?[ \t]{0,3}[:=][ \t]{0,3}("[^"\n]{1,2000}"|'[^'\n]{1,2000}'|[^\s"',;]{1,2000})/giu,
  // `login name password value`, as .netrc has it
  /\blogin\s{1,9}\S{1,100}\s{1,9}(password)\s{1,9}(\S{1,200})/gu,
];
/** `host:port:database:user:password`, as .pgpass has it. */
const PGPASS = /:(?:\d{1,5}|\*):[^:\s]{1,100}:[^:\s]{1,100}:(\S{1,200})$/gmu;
/** `.env:3:`, as a search names a line, and what `read` puts before one. */
const PLACE = /^(?:[^\s:=]{1,200}[:-]\d{1,9}[:-]|[ ]{0,9}\d{1,9}\t)/gmu;
/** `//name:password@host`. */
const IN_ADDRESS = /\/\/[^\s:@/]{0,100}:([^\s@/]{1,200})@/gu;
const KEY_BEGINS = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----/u;
const KEY_LINE = /[\w+/=]{16,}/gu;
export interface FileSecret {
  /** What it stands under; null where nothing says what it is. */
  readonly name: string | null;
  readonly value: string;
}

/** What of a file that looks like a secret is one: values under names of credentials, tokens, and lines of private keys. */
export function secretsIn(found: string): FileSecret[] {
  const text = found.replaceAll(PLACE, "");
  const named = NAMED.flatMap((shape) => [...text.matchAll(shape)]).flatMap(([, name = "", value = ""]) =>
    isSecretName(name) || name.endsWith("key-data") ? valuesOf(value).map((each) => ({ name, value: each })) : [],
  );
  // What a line of .pgpass begins with looks like a place.
  const unnamed = [...text.matchAll(IN_ADDRESS), ...found.matchAll(PGPASS)].map(([, value = ""]) => value);
  const others = [...unnamed, ...tokensIn(text)].map((value) => ({ name: null, value }));
  // A value that has a name is known by it.
  return [...others, ...named].filter(({ value }) => value.length >= SHORTEST.value && !isBlank(value));
}

/** Without its quotes; and, where it seems to be of an address, without the parameters behind it. */
function valuesOf(written: string): string[] {
  const value = written.replaceAll(/^\\?["'`]|\\?["'`]$/gu, "");
  return [...new Set([value, ...value.split(/&\w{1,60}=/u, 1)])];
}

/** What is a secret wherever it stands. */
export function tokensIn(text: string): string[] {
  return [...likelyTokens(text), ...keyLinesIn(text)];
}

function keyLinesIn(text: string): string[] {
  const [, ...bodies] = text.split(KEY_BEGINS);
  return bodies.flatMap((body) => body.split("-----END", 1)[0]?.match(KEY_LINE) ?? []);
}

/** The same store; what is read of it that holds secrets is masked from then on, also after a restart. */
export function learningStore(store: Store, { learn }: Pick<FileSecrets, "learn">): Store {
  const { messages, toolCalls } = store;
  const taught = <M extends Awaited<ReturnType<typeof messages.list>>>(history: M): M => {
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
      list: async (...asked) => taught(await messages.list(...asked)),
      listWithout: async (...asked) => taught(await messages.listWithout(...asked)),
      split: async (...asked) => {
        const { before, ofRun } = await messages.split(...asked);
        return { before: taught(before), ofRun: taught(ofRun) };
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
