/**
 * Maps lower-case tool names of other agents to the tools here. Source: the documents of Claude Code, Copilot and VS
 * Code, Cursor, Gemini CLI, Kiro.
 */
const OURS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    bash: "bash shell execute execute_bash execute_shell run_shell_command runcommands runinterminal terminalcommand run_in_terminal run_terminal_cmd powershell",
    read: "read view fs_read read_file read_many_files readfile notebookread",
    write: "write write_file createfile",
    edit: "edit multiedit replace search_replace edit_file notebookedit patch apply_patch",
    "edit write": "editfiles fs_write",
    glob: "glob find ls list list_directory listdirectory filesearch",
    grep: "grep grep_search search_file_content textsearch",
    "grep glob": "search codebase codesearch usages searchresults",
    web_fetch: "webfetch fetch",
    web_search: "websearch google_web_search",
    "web_fetch web_search": "web browser",
    agent: "task agent runsubagent",
    skill: "skill",
    update_plan: "todowrite todoread todo todos write_todos",
    ask_user_question: "askuserquestion askquestions ask_user question",
  }).flatMap(([ours, theirs]) => theirs.split(" ").map((name) => [name, ours.split(" ")] as const)),
);

/** The tools here that other agents have as well. Some exist only if settings enable them. */
export const SHARED_TOOLS: ReadonlySet<string> = new Set([...OURS.values()].flat());

/** Grouped names such as `<group>/<tool>`. For unknown tools of some groups, the group's name is used. */
const GROUP = /^(?:execute|(read|edit|search)|web|agent|todo)\/(.+)$/;

/** Names of agents, which some authors list as tools. */
const PROGRAMS: ReadonlySet<string> = new Set(
  "antigravity claude claude-code cline codex codex-cli copilot cursor gemini gemini-cli github-copilot opencode windsurf".split(
    " ",
  ),
);

/** Valid tool names: built-in tools, extensions' tools, and `mcp__server__tool`. */
const NAME = /^(?:[a-z][a-z0-9_-]{0,63}|mcp__[\w-]{1,59})$/;

export interface ReadToolNames {
  readonly names: readonly string[];
  /** Names that match no possible tool here. */
  readonly foreign: readonly string[];
}

/**
 * Translates tool names. `Bash(git add:*)` becomes `git`, and other forms of `Bash(…)` become the shell. Patterns of
 * other tools are ignored.
 */
export function readToolNames(written: readonly string[]): ReadToolNames {
  const read = written.map((name) => ({ name, ours: ourNames(name) }));
  return {
    names: [...new Set(read.flatMap(({ ours }) => ours))],
    foreign: read.flatMap(({ name, ours }) => (ours.length === 0 ? [name] : [])),
  };
}

function ourNames(written: string): readonly string[] {
  const [, name = "", pattern = ""] = /^([^(]+)(?:\((.*)\))?$/.exec(written.trim()) ?? [];
  const [, group = "", tool = name.toLowerCase()] = GROUP.exec(name.toLowerCase()) ?? [];
  const known = OURS.get(tool) ?? OURS.get(group);
  if (known?.includes("bash") && /^git(?:$|[\s:*])/.test(pattern)) return ["git"];
  return known ?? (NAME.test(name) && !PROGRAMS.has(name) ? [name] : []);
}

/** Splits a text of tool names at blanks and commas outside brackets. */
export function partToolNames(text: string): string[] {
  return text.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? [];
}
