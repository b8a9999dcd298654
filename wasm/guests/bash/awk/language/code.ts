/** A piece of JavaScript and what it evaluates to; a field's code is the number of the field. */
export interface Code {
  readonly kind: "number" | "text" | "truth" | "value" | "field";
  readonly code: string;
}

const IDENTIFIER = /^\w+$/;

export function numeric({ kind, code }: Code): string {
  if (kind === "number") return code;
  if (kind === "truth") return `(+(${code}))`;
  if (kind === "field") return `numberOf(awk.fields.text(${code}))`;
  if (kind === "value" && IDENTIFIER.test(code)) return `(typeof ${code}==="number"?${code}:numberOf(${code}))`;
  return `numberOf(${code})`;
}

export function textual({ kind, code }: Code): string {
  if (kind === "text") return code;
  if (kind === "truth") return `(${code}?"1":"0")`;
  return kind === "field" ? `awk.fields.text(${code})` : `textOf(${code})`;
}

/** What `print` writes of a value. */
export function shown(one: Code): string {
  return one.kind === "number" || one.kind === "value" ? `awk.shown(${one.code})` : textual(one);
}

export function truth({ kind, code }: Code): string {
  if (kind === "truth") return code;
  if (kind === "number") return `(${code})!==0`;
  if (kind === "text") return `(${code})!==""`;
  return `isTrue(${kind === "field" ? `awk.fields.value(${code})` : code})`;
}

export function valued({ kind, code }: Code): string {
  if (kind === "truth") return `(+(${code}))`;
  return kind === "field" ? `awk.fields.value(${code})` : code;
}

/** How awk compares: as texts if one of both is a text, else as numbers. */
export function compared(operator: string, [left, right]: readonly [Code, Code], ignoresCase = false): string {
  const same = operator === "==" ? "===" : operator === "!=" ? "!==" : operator;
  const isNumber = ({ kind }: Code) => kind === "number" || kind === "truth";
  if (isNumber(left) && isNumber(right)) return `${numeric(left)}${same}${numeric(right)}`;
  if (!ignoresCase && (left.kind === "text" || right.kind === "text"))
    return `${textual(left)}${same}${textual(right)}`;
  const general = `compare(${valued(left)},${valued(right)})${same}0`;
  if (left.kind === "value" && IDENTIFIER.test(left.code) && isNumber(right) && /^[\w.]+$/.test(right.code))
    return `(typeof ${left.code}==="number"?${left.code}${same}${right.code}:${general})`;
  return general;
}
