/** Path of the sandbox root in programs, and base of relative paths. */
export const ROOT = "/workspace";

/** An absolute path without `.` and `..`. */
export function absolute(path: string, base: string = ROOT): string {
  const segments: string[] = [];
  for (const segment of (path.startsWith("/") ? path : `${base}/${path}`).split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}

/** The path as the host names it, relative to the root; null for paths elsewhere, where nothing exists. */
export function inner(path: string): string | null {
  const whole = absolute(path);
  if (whole === ROOT) return "";
  return whole.startsWith(`${ROOT}/`) ? whole.slice(ROOT.length + 1) : null;
}

export function dirname(path: string): string {
  const at = path.lastIndexOf("/");
  if (at === -1) return ".";
  return at === 0 ? "/" : path.slice(0, at);
}

export function basename(path: string, suffix = ""): string {
  const name =
    path
      .replace(/(?<!\/)\/+$/, "")
      .split("/")
      .at(-1) ?? "";
  return suffix !== "" && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}

export function extname(path: string): string {
  const name = basename(path);
  const at = name.lastIndexOf(".");
  return at <= 0 ? "" : name.slice(at);
}

function normalize(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== ".." || segments.length === 0 || segments.at(-1) === "..") segments.push(segment);
    else segments.pop();
  }
  if (path.startsWith("/")) return `/${segments.filter((segment) => segment !== "..").join("/")}`;
  const joined = segments.join("/");
  return joined === "" ? "." : joined;
}

function relative(from: string, to: string): string {
  const start = absolute(from).split("/").filter(Boolean);
  const end = absolute(to).split("/").filter(Boolean);
  let same = 0;
  while (same < start.length && start[same] === end[same]) same++;
  return [...start.slice(same).map(() => ".."), ...end.slice(same)].join("/");
}

/** The module `node:path`, as far as programs for files need it. */
export const PATH = {
  sep: "/",
  join: (...parts: string[]): string => normalize(parts.filter((part) => part !== "").join("/")),
  resolve: (...parts: string[]): string => parts.reduce((base, part) => absolute(part, base), ROOT),
  isAbsolute: (path: string): boolean => path.startsWith("/"),
  normalize,
  relative,
  dirname,
  basename,
  extname,
};
