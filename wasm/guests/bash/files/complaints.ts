import type { ExecResult, IFileSystem } from "just-bash/browser";

interface Context {
  readonly fs: IFileSystem;
  readonly state: { readonly cwd: string };
}

const MISSING = "No such file or directory";
/** Matches complaints that name no reason, or possibly a wrong one. */
const DOUBTFUL = /No such file or directory$|cannot open redirect target$|: E[A-Z]+: [a-z ]+, \w+ '[^']*'$/m;
const REASONS: Readonly<Record<string, string>> = {
  EACCES: "Permission denied",
  EEXIST: "File exists",
  EISDIR: "Is a directory",
  ENOENT: MISSING,
  ENOTDIR: "Not a directory",
  ENOTEMPTY: "Directory not empty",
};

/** A command's result whose complaints about files give the reasons that Linux gives. */
export async function fileComplaints({ fs, state }: Context, result: ExecResult): Promise<ExecResult> {
  if (!DOUBTFUL.test(result.stderr)) return result;
  const kindOf = async (path: string) => {
    const found = await fs.stat(fs.resolvePath(state.cwd, path)).catch(() => null);
    return found === null ? "none" : found.isDirectory ? "directory" : "file";
  };
  const lines: string[] = [];
  for (const line of result.stderr.split("\n")) {
    const plain = line.replace(/: (E[A-Z]+): [a-z ]+, \w+ '[^']*'$/, (found, code) =>
      REASONS[code] === undefined ? found : `: ${REASONS[code]}`,
    );
    lines.push(await withReason(plain, kindOf));
  }
  const stderr = lines.join("\n");
  const counted = result.internalOutputAccounting;
  if (counted === undefined) return { ...result, stderr };
  return {
    ...result,
    stderr,
    internalOutputAccounting: { ...counted, stderr: Math.min(counted.stderr, stderr.length) },
  };
}

async function withReason(
  line: string,
  kindOf: (path: string) => Promise<"none" | "directory" | "file">,
): Promise<string> {
  const [whole, start = "", given = ""] =
    /^(.*?(?:['‘]|: (?:cannot read: |can't read )?))([^:'’‘]+)['’]?(?: for reading)?: (?:No such file or directory|cannot open redirect target)$/u.exec(
      line,
    ) ?? [];
  if (whole === undefined) return line;
  const isTarget = !line.endsWith(MISSING);
  const rest = line.slice(start.length).replace(/: [^:]*$/, "");
  if (isTarget && (given.endsWith("/") || (await kindOf(given)) === "directory"))
    return `${start}${rest}: ${REASONS["EISDIR"]}`;
  for (let path = given; path.includes("/"); ) {
    path = path.slice(0, path.lastIndexOf("/"));
    const kind = path === "" ? "directory" : await kindOf(path);
    if (kind === "none") continue;
    return `${start}${rest}: ${kind === "file" ? REASONS["ENOTDIR"] : MISSING}`;
  }
  return isTarget && given.includes("/") ? `${start}${rest}: ${MISSING}` : line;
}
