import { z } from "zod";
import { assertNever } from "../../core/protocol/assert-never.ts";

const argument = z
  .string()
  .max(1_000)
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  .refine((text) => !/[\u0000-\u001f\u007f]/.test(text), "must not contain control characters");

export const gitInput = z.object({
  action: z.enum(["status", "diff", "log", "show", "blame"]).describe("What to show."),
  path: argument
    .default("")
    .describe("Only this file or directory; also selects the repository if there are several. blame needs it."),
  revision: argument
    .refine((text) => !text.startsWith("-"), "must not begin with `-`")
    .optional()
    .describe(
      "diff: a commit to compare the files with, or two as `a..b` or `a...b`. log: where to start, or a range. " +
        "show: a commit, tag, or a file in a commit as `HEAD~2:src/main.ts` (default HEAD). blame: a commit instead of the current file.",
    ),
  staged: z.boolean().default(false).describe("diff: staged changes instead of unstaged ones."),
  count: z.int().min(1).max(500).optional().describe("log: number of commits, newest first (default 20)."),
  lines: z
    .string()
    .regex(/^[1-9]\d{0,8}-[1-9]\d{0,8}$/, "must be like `10-40`")
    .optional()
    .describe("blame: only these lines, e.g. `10-40`."),
});
export type GitInput = z.infer<typeof gitInput>;

const LOG_COUNT = 20;

/** Options that each action accepts besides the path. */
const OPTIONS: Readonly<Record<GitInput["action"], readonly string[]>> = {
  status: [],
  diff: ["revision", "staged"],
  log: ["revision", "count"],
  show: ["revision"],
  blame: ["revision", "lines"],
};

/**
 * Describes an option that the action does not accept or a required one that is missing; null if the input is valid.
 */
export function optionProblem(input: GitInput): string | null {
  const { action, path, revision, staged, count, lines } = input;
  const given = Object.entries({ revision, staged: staged || undefined, count, lines }).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [name],
  );
  const extra = given.filter((name) => !OPTIONS[action].includes(name));
  if (extra.length > 0) return `${action} does not take ${extra.join(" or ")}.`;
  if (action === "blame" && path === "") return "blame needs the path of a file.";
  return null;
}

/**
 * Limits git to a path relative to the top of the work tree, taken literally (GIT_LITERAL_PATHSPECS); empty means all.
 */
const only = (path: string): string[] => ["--", ...(path === "" ? [] : [path])];

const from = (revision: string | undefined): string[] => (revision ? ["--end-of-options", revision] : []);

const PLAIN_DIFF = ["--no-ext-diff", "--no-textconv", "--no-color", "--stat=120", "--patch"];
/** Used where git compares with files: it would otherwise run itself in submodules, under their own configuration. */
const NO_SUBMODULES = "--ignore-submodules=all";
const PLAIN_COMMITS = ["--no-show-signature", "--no-mailmap", "--no-notes", "--date=iso", "--decorate=short"];

/** Builds git's arguments; `path` is relative to the top of the work tree. */
export function gitArguments(input: GitInput, path: string): string[] {
  const { action, revision, staged, count = LOG_COUNT, lines } = input;
  switch (action) {
    case "status":
      return ["status", "--short", "--branch", "--untracked-files=normal", NO_SUBMODULES, ...only(path)];
    case "diff":
      return ["diff", ...PLAIN_DIFF, staged ? "--cached" : NO_SUBMODULES, ...from(revision), ...only(path)];
    case "log":
      return ["log", ...PLAIN_COMMITS, "--no-color", `--max-count=${count}`, ...from(revision), ...only(path)];
    case "show":
      return ["show", ...PLAIN_COMMITS, ...PLAIN_DIFF, ...from(revision || "HEAD"), ...only(path)];
    case "blame":
      return [
        "blame",
        "--date=short",
        ...(lines === undefined ? [] : ["-L", lines.replace("-", ",")]),
        ...(revision ? [revision] : ["--contents", "-"]),
        ...only(path),
      ];
    default:
      return assertNever(action);
  }
}
