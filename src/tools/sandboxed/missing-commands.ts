/** Programs that people expect in a shell but the sandbox lacks, with a substitute or a reason for each. */
const INSTEAD: readonly (readonly [names: string, instead: string])[] = [
  ["curl wget http https lynx", "there is no network in the sandbox; use the web_fetch tool"],
  ["ping nc netcat telnet ssh scp sftp rsync dig nslookup host ftp", "there is no network in the sandbox"],
  ["git hg svn gh", "use the git tool, which is read-only; nothing here can write to a repository"],
  ["node nodejs deno bun tsx ts-node js", "use the js_exec tool for JavaScript"],
  [
    "python python2 python3 ruby perl php lua Rscript",
    "there are no other interpreters; use the js_exec tool, or awk, sed and jq",
  ],
  [
    "npm npx pnpm yarn pip pip3 uv poetry gem bundle cargo go rustc mvn gradle apt apt-get yum dnf apk brew snap",
    "no packages can be installed or built in the sandbox, and no native programs run",
  ],
  ["gcc g++ cc clang make cmake ninja ld tsc java javac", "no native programs run in the sandbox"],
  [
    "docker podman kubectl helm terraform ansible aws gcloud az systemctl service",
    "no native programs run in the sandbox",
  ],
  ["sudo su doas", "there are no other users in the sandbox"],
  ["vi vim nvim nano emacs ed", "use the edit and write tools"],
  ["less more", "output is not paged; use head, tail or the read tool"],
  ["bzip2 bunzip2 xz unxz 7z", "the only archive tools are tar, gzip, gunzip, zcat, zip and unzip"],
  ["sqlite3 psql mysql redis-cli", "there are no databases in the sandbox"],
  ["yq xan", "use jq for JSON and awk for the rest, or the js_exec tool"],
  ["ps top killall pkill crontab at", "there are no processes in the sandbox; each call is one script"],
];

const BY_NAME: ReadonlyMap<string, string> = new Map(
  INSTEAD.flatMap(([names, instead]) => names.split(" ").map((name) => [name, instead] as const)),
);

export interface EndedCommand {
  readonly command: string;
  readonly exitCode: number;
  readonly stderr: string;
}

/** Explains which programs a command needed that the sandbox lacks. */
export function aboutMissing(ended: EndedCommand): string[] {
  const errors = ended.stderr.matchAll(
    /^(?:.*: )?(?:(?<name>[^\s:/]+): command not found|(?:\/usr(?:\/local)?)?\/bin\/(?<program>[^\s:/]+): No such file or directory)$/gm,
  );
  const named = [...errors].map(({ groups }) => groups?.name ?? groups?.program ?? "");
  return [...new Set([...named, ...missingByName(ended)])].map((name) => {
    const instead = BY_NAME.get(name);
    return instead === undefined ? `${name} is not available in the sandbox.` : `${name} is not available: ${instead}.`;
  });
}

/** If a script discards its error output, the words of the command itself show what it needed. */
function missingByName({ command, exitCode, stderr }: EndedCommand): string[] {
  if (stderr !== "" || exitCode === 0) return [];
  const words: readonly string[] = command.match(/(?<=^|[\s;&|(`])[\w+.-]+(?=\s|$)/g) ?? [];
  return words.filter((word) => BY_NAME.has(word));
}
