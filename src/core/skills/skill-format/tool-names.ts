/** What other agents' tools are called here, by their names in lower case. */
const OURS: ReadonlyMap<string, string> = new Map([
  ["bash", "bash"],
  ["shell", "bash"],
  ["read", "read"],
  ["write", "write"],
  ["edit", "edit"],
  ["multiedit", "edit"],
  ["glob", "glob"],
  ["ls", "glob"],
  ["grep", "grep"],
  ["webfetch", "web_fetch"],
  ["websearch", "web_search"],
  ["task", "agent"],
  ["agent", "agent"],
  ["skill", "skill"],
  ["todowrite", "update_plan"],
  ["askuserquestion", "ask_user_question"],
]);

/** As tools here are named: our own, an extension's, and `mcp__server__tool`. */
const NAME = /^(?:[a-z][a-z0-9_-]{0,63}|mcp__[\w-]{1,59})$/;

export interface ReadToolNames {
  readonly names: readonly string[];
  /** Those that stand for no tool that could be here. */
  readonly foreign: readonly string[];
}

/** `Bash(git add:*)` is the tool `git`, other forms of `Bash(…)` the shell; a pattern of any other tool is that tool. */
export function readToolNames(written: readonly string[]): ReadToolNames {
  const read = written.map((name) => ({ name, ours: ourName(name) }));
  return {
    names: [...new Set(read.flatMap(({ ours }) => ours ?? []))],
    foreign: read.flatMap(({ name, ours }) => (ours === null ? [name] : [])),
  };
}

function ourName(written: string): string | null {
  const [, name = "", pattern = ""] = /^([^(]+)(?:\((.*)\))?$/.exec(written.trim()) ?? [];
  const known = OURS.get(name.toLowerCase());
  if (known === "bash" && /^git(?:$|[\s:*])/.test(pattern)) return "git";
  return known ?? (NAME.test(name) ? name : null);
}

/** The names of a text, with blanks or commas between them that stand in no brackets. */
export function partToolNames(text: string): string[] {
  return text.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? [];
}
