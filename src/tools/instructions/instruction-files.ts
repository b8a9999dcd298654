import { comparableName } from "../wasm/workspace/path-rules.ts";
import { Refusal } from "../wasm/workspace/refusal.ts";

/** Names that count at any depth, since agents read these files beside the files they work on. */
const INSTRUCTION_NAMES = new Set(["agents.md", "claude.md", "claude.local.md", ".agents", ".claude"]);

const listed = (list: string) => new Set(list.split(" "));

/**
 * Files and directories from which other agents take instructions, or whose contents developers' machines and build
 * servers run. A directory includes all its contents. Source: the documents of Cursor, Windsurf, Cline, Roo, Kiro,
 * Copilot, Gemini CLI, Codex, Qwen, Junie, Amazon Q, Continue, Aider, goose, Amp, Zed, and the directories where the
 * installer `skills` puts skills; VS Code, JetBrains, Vim, Emacs, debuggers, husky, direnv, mise, pre-commit, lefthook,
 * lint-staged, overcommit, Cargo, Maven, Bundler, Bazel, Bun, Yarn, dev containers, CI services.
 */
const FOLLOWED_NAMES = listed(
  "agent.md agents.override.md gemini.md qwen.md copilot-instructions.md .cursorrules .windsurfrules .clinerules .roorules .roomodes .goosehints .continuerules " +
    ".mcp.json .cursor .windsurf .cline .roo .kiro .gemini .codex .qwen .junie .amazonq .continue .opencode opencode.json .aider.conf.yml " +
    ".amp .rules .ruler .kilocodemodes opencode.jsonc " +
    ".agent .adal .aiassistant .augment .codebuddy .commandcode .crush .crush.json crush.md .factory firebender.json .goose .iflow .kilocode .kode " +
    ".mcpjam .mux .neovate .openhands .pi .pochi .qoder .trae .vibe .zed .zencoder warp.md .claude-plugin .cursor-plugin .codex-plugin " +
    ".vscode .devcontainer .devcontainer.json .envrc .husky .githooks .git-hooks .lefthook lefthook.yml lefthook.yaml .lefthook.yml .lefthook.yaml " +
    ".pre-commit-config.yaml .pre-commit-config.yml .gitlab-ci.yml .gitlab-ci.yaml .circleci .travis.yml .drone.yml .buildkite .woodpecker.yml jenkinsfile " +
    "azure-pipelines.yml bitbucket-pipelines.yml .npmrc .yarnrc.yml .pnpmfile.cjs .gitattributes .gitmodules " +
    ".gitlab .gitea .forgejo .woodpecker .woodpecker.yaml .azure-pipelines .cirrus.yml .appveyor.yml appveyor.yml .semaphore .teamcity .tekton " +
    ".builds .build.yml .drone.star .harness cloudbuild.yaml cloudbuild.yml buildspec.yml buildspec.yaml bitrise.yml codemagic.yaml " +
    ".idea .run .exrc .nvimrc .nvim.lua .gdbinit .lldbinit .dir-locals.el .gitpod.yml .idx .replit .mise .mise.toml mise.toml " +
    ".cargo .mvn .bundle .bazelrc bunfig.toml .yarn .yarnrc .pnpmrc lefthook.toml .lefthook.toml lefthook-local.yml .overcommit.yml " +
    ".lintstagedrc .lintstagedrc.json .lintstagedrc.yaml .lintstagedrc.yml .simple-git-hooks.json",
);
/** An editor's settings and tasks, stored beside the folders they apply to. */
const FOLLOWED_ENDS = /\.code-workspace$/;
/** Names that count only in `.github`. */
const GITHUB_NAMES = listed("workflows actions instructions prompts agents chatmodes skills hooks dependabot.yml");

/** NTFS short names, which exist for names longer than 8.3. */
const SHORT_NAMES = /^(agents|claude)~\d+(\.md)?$/;

/** Names that count only at the sandbox root. */
const ROOT_NAMES = /^(extensions|extens~\d+)$/;

/**
 * Whether a file, by its path relative to the sandbox root, gives instructions to agents (AGENTS.md, CLAUDE.md,
 * anything in .agents/ or .claude/, extensions/ of the root, and the files of other agents) or runs on developers'
 * machines.
 * Writing such a file changes what they do, so a person must decide. Names match in every spelling that some file
 * system treats as equal.
 */
export function isInstructionFile(path: string): boolean {
  const segments = path.split(/[/\\]/).filter((segment) => segment !== "" && segment !== ".");
  const names = segments.map(comparableName);
  if (ROOT_NAMES.test(names[0] ?? "")) return true;
  if (names.some((name) => INSTRUCTION_NAMES.has(name) || SHORT_NAMES.test(name))) return true;
  // Nobody follows the instruction files that installed packages contain.
  return !names.includes("node_modules") && names.some((name, at) => isFollowed(name, names[at - 1] ?? ""));
}

function isFollowed(name: string, parent: string): boolean {
  return FOLLOWED_NAMES.has(name) || FOLLOWED_ENDS.test(name) || (parent === ".github" && GITHUB_NAMES.has(name));
}

export function instructionRefusal(path: string): Refusal {
  return new Refusal(
    `${path} instructs agents or machines, or the settings guard it. A person must decide on changes to it, so tools do not write it.`,
  );
}
