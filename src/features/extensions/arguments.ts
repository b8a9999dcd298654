/**
 * Turns a call's input into a program's arguments. Without a template, each property becomes `--name=value` in the
 * schema's order: the name in kebab case, `true` as the bare `--name`, lists as one argument per entry, `false` and
 * absent values left out. In a template (`arguments` of tool.json), `{name}` stands for a property's value. An argument
 * is left out if one of its properties is absent or false, and an argument that is only `{name}` is repeated for each
 * entry of a list.
 */
export function programArguments(
  input: Readonly<Record<string, unknown>>,
  template: readonly string[] | undefined,
): string[] {
  if (template === undefined) return Object.entries(input).flatMap(([name, value]) => option(name, value));
  return template.flatMap((argument) => fill(argument, input));
}

const PLACEHOLDER = /\{(\w+)\}/g;
const ONE_PLACEHOLDER = /^\{(\w+)\}$/;

function option(name: string, value: unknown): string[] {
  const flag = `--${name
    .replace(/_/g, "-")
    .replace(/([a-z\d])([A-Z])/g, "$1-$2")
    .toLowerCase()}`;
  if (value === true) return [flag];
  if (isAbsent(value)) return [];
  return (Array.isArray(value) ? value : [value]).map((entry) => `${flag}=${textOf(entry)}`);
}

function fill(argument: string, input: Readonly<Record<string, unknown>>): string[] {
  const alone = ONE_PLACEHOLDER.exec(argument)?.[1];
  const list = alone === undefined ? undefined : input[alone];
  if (Array.isArray(list)) return list.map(textOf);
  const names = [...argument.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);
  if (names.some((name) => isAbsent(input[name]))) return [];
  return [argument.replace(PLACEHOLDER, (_, name: string) => (input[name] === true ? "" : textOf(input[name])))];
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === false;
}

/** Removes NULs, which would end the argument early. */
function textOf(value: unknown): string {
  return (typeof value === "string" ? value : JSON.stringify(value)).replaceAll("\0", "");
}
