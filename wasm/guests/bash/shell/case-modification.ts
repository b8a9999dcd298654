interface WordPart {
  readonly type: string;
  readonly parameter?: string;
  readonly parts?: readonly WordPart[];
  readonly operation?: { readonly type: string } | null;
}

interface Word {
  readonly type: "Word";
  readonly parts: readonly WordPart[];
}

interface Expanded {
  readonly values: readonly string[];
  readonly quoted: boolean;
}

/** Name of the variable that holds one element while its case is changed. */
const ELEMENT = "__element";

/** Expands `"${list[@]^}"` by changing the case of each element; undefined for other words. */
export async function expandCased(
  env: Map<string, string>,
  { parts: [quotes, ...others] }: Word,
  expand: (word: Word) => Promise<Expanded>,
): Promise<Expanded | undefined> {
  const [part, ...more] = quotes?.parts ?? [];
  if (part?.operation?.type !== "CaseModification" || quotes?.type !== "DoubleQuoted") return undefined;
  const { parameter = "" } = part;
  if (others.length + more.length > 0 || !/^(?:\w+\[)?[@*]\]?$/.test(parameter)) return undefined;
  const { values } = await expand(quoted({ ...part, parameter: parameter.replace("*", "@"), operation: null }));
  const cased: string[] = [];
  for (const value of values) {
    env.set(ELEMENT, value);
    cased.push(...(await expand(quoted({ ...part, parameter: ELEMENT }))).values);
  }
  env.delete(ELEMENT);
  const between = (env.get("IFS") ?? " ").slice(0, 1);
  return { values: parameter.includes("*") ? [cased.join(between)] : cased, quoted: true };
}

function quoted(part: WordPart): Word {
  return { type: "Word", parts: [{ type: "DoubleQuoted", parts: [part] }] };
}
