interface Word {
  readonly parts: readonly { readonly type: string; readonly value?: string; readonly pattern?: string }[];
  readonly elements?: readonly Word[];
}

/** `name=(…)` with each element as it is, for a builtin to read; undefined where keys are named, or it is no list. */
export async function listText(
  { parts, elements }: Word,
  expand: (word: Word) => Promise<{ readonly values: readonly string[] }>,
): Promise<string | undefined> {
  const [, name] = /^([A-Za-z_]\w*)=\(/.exec(parts[0]?.value ?? "") ?? [];
  if (elements === undefined || name === undefined || elements.some(hasKey)) return undefined;
  const values: string[] = [];
  for (const element of elements) values.push(...(await expand(element)).values);
  return `${name}=(${values.map(quoted).join(" ")})`;
}

function hasKey({ parts: [part] }: Word): boolean {
  return (part?.pattern ?? part?.value ?? "").startsWith("[");
}

function quoted(value: string): string {
  return /^[\w./:@%+,-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}
