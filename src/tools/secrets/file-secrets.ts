import type { ContentBlock } from "../../core/protocol/messages.ts";
import type { Store } from "../../core/store/store.ts";
import { type OwnSecrets, ownSecrets } from "../../core/text/own-secrets.ts";
import { isSecretName } from "../../core/text/secret-name.ts";
import type { Label } from "../../core/trust/label.ts";

/**
 * The values in files that look like secrets, as far as anybody has had one read. Nothing that is posted holds them: people
 * who may see such a file have it attached.
 */
export interface FileSecrets extends OwnSecrets {
  /** Takes the values from what was read, where its label says that it holds secrets. */
  learn(content: readonly ContentBlock[], label: Label | undefined): void;
}

/** The program's own tokens and keys, and the values of files. */
export interface ProgramSecrets extends OwnSecrets {
  readonly files: FileSecrets;
}

/** What people read in place of a value: enough to decide whether it may go where a card says that it would. */
export function maskOf(value: string, name: string | null = null): string {
  const which = name === null ? "secret" : `secret ${name}`;
  return `[${which}, ${value.length} characters; have its file attached to see it]`;
}
/** Shorter values would tear holes into what people say. Characters. */
const SHORTEST = { value: 8, encoded: 10 };
/** Values that are kept, the newest. */
const MOST = 1_000;

export function fileSecrets(): FileSecrets {
  const names = new Map<string, string | null>();
  const shown = (value: string) => maskOf(value, names.get(value));
  const masking = () => ownSecrets([...names.keys()], { shortest: SHORTEST, shown });
  let masks = masking();
  return {
    learn(content, label) {
      if (label?.holds.includes("secrets") !== true) return;
      const found = textsIn(content)
        .flatMap(secretsIn)
        .filter(({ value }) => !names.has(value));
      if (found.length === 0) return;
      for (const { name, value } of found) names.set(value, name);
      for (const value of [...names.keys()].slice(0, -MOST)) names.delete(value);
      masks = masking();
    },
    hide: (text) => masks.hide(text),
    hideIn: (value) => masks.hideIn(value),
    hideInBytes: (data) => masks.hideInBytes(data),
  };
}

/** What was read, and not what was said of it. */
function textsIn(content: readonly ContentBlock[]): string[] {
  return content.flatMap((block) => {
    if (block.type === "tool_result") return textsIn(block.content);
    return block.type === "text" ? [block.text] : [];
  });
}

/** `NAME=value`, `"name": "value"`, `name: value`. */
const NAMED =
  /([A-Za-z_][\w.-]{0,60})["']?[ \t]{0,3}[:=][ \t]{0,3}("[^"\n]{1,2000}"|'[^'\n]{1,2000}'|[^\s"',;]{1,2000})/gu;
/** `.env:3:`, as a search names a line. */
const PLACE = /^[^\s:=]{1,200}[:-]\d{1,9}[:-]/gmu;
/** `//name:password@host`. */
const IN_ADDRESS = /\/\/[^\s:@/]{0,100}:([^\s@/]{1,200})@/gu;
/** Tokens that say by their beginning what they are. */
const TOKEN =
  /\b(?:xox[a-z]-|xapp-|sk-|sk_live_|gh[opsur]_|github_pat_|glpat-|npm_|AKIA|AIza|eyJ[\w-]{10,400}\.)[\w.-]{10,2000}/gu;
const KEY_BEGINS = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----/u;
const KEY_LINE = /[\w+/=]{16,}/gu;
/** Words that stand where a value is to be filled in. */
const BLANK = /^\$|[<>{}]|example|changeme|x{4}/iu;

export interface FileSecret {
  /** What it stands under; null where nothing says what it is. */
  readonly name: string | null;
  readonly value: string;
}

/** What of a file that looks like a secret is one: values under names of credentials, tokens, and lines of private keys. */
export function secretsIn(found: string): FileSecret[] {
  const text = found.replaceAll(PLACE, "");
  const named = [...text.matchAll(NAMED)].flatMap(([, name = "", value = ""]) =>
    isSecretName(name) || name.endsWith("key-data") ? [{ name, value: value.replaceAll(/^["']|["']$/gu, "") }] : [],
  );
  const inAddresses = [...text.matchAll(IN_ADDRESS)].map(([, value = ""]) => value);
  const others = [...inAddresses, ...tokensIn(text)].map((value) => ({ name: null, value }));
  return [...named, ...others].filter(({ value }) => value.length >= SHORTEST.value && !BLANK.test(value));
}

/** What is a secret wherever it stands. */
export function tokensIn(text: string): string[] {
  const tokens = text.match(TOKEN) ?? [];
  const [, ...keyBodies] = text.split(KEY_BEGINS);
  const keys = keyBodies.flatMap((body) => body.split("-----END", 1)[0]?.match(KEY_LINE) ?? []);
  return [...tokens, ...keys];
}

/** The same store; what is read of it that holds secrets is masked from then on, also after a restart. */
export function learningStore(store: Store, { learn }: Pick<FileSecrets, "learn">): Store {
  const { messages, toolCalls } = store;
  const taught = <M extends Awaited<ReturnType<typeof messages.list>>>(history: M): M => {
    for (const { content, label } of history) if (label !== undefined) learn(content, label);
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
        for (const { result } of calls) if (result !== null) learn(result.content, result.label);
        return calls;
      },
    },
  };
}
