import path from "node:path";

/** Imports of each file, by its path. */
type Graph = ReadonlyMap<string, readonly string[]>;

/**
 * Finds each cycle once, by depth-first search. Type imports count, because two files that need each other's types are
 * really one.
 */
export function cyclesIn(graph: Graph): string[][] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    const start = trail.indexOf(file);
    if (start >= 0) cycles.push([...trail.slice(start), file]);
    if (start >= 0 || done.has(file)) return;
    for (const target of graph.get(file) ?? []) visit(target, [...trail, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}

/**
 * A line for each cycle between folders below `root`, at any depth. Where the paths of two files diverge, each file is
 * in a room: a subfolder with everything beneath it, or the files directly in the common folder. The rooms of one
 * folder may import each other in one direction only.
 */
export function folderCircles(root: string, graph: Graph): string[] {
  /** One import for each pair of rooms, by their common folder. */
  const folders = new Map<string, Map<string, Map<string, string>>>();
  for (const [file, targets] of graph)
    for (const target of targets) {
      if (!file.startsWith(`${root}/`) || !target.startsWith(`${root}/`)) continue;
      const { folder, from, to } = parting(file, target);
      if (from === to) continue;
      const rooms = folders.get(folder) ?? new Map<string, Map<string, string>>();
      const imports = rooms.get(from) ?? new Map<string, string>();
      imports.set(to, imports.get(to) ?? `${file} imports ${target}`);
      folders.set(folder, rooms.set(from, imports));
    }
  return [...folders.values()].flatMap((rooms) =>
    cyclesIn(new Map([...rooms].map(([room, imports]) => [room, [...imports.keys()]]))).map((circle) => {
      const imports = circle.slice(1).map((room, at) => rooms.get(circle[at] ?? "")?.get(room));
      return `Circle of folders: ${circle.join(" → ")}: ${imports.join("; ")}.`;
    }),
  );
}

/** The deepest folder that contains both files, and each file's room in it. */
function parting(file: string, target: string) {
  let folder = path.posix.dirname(file);
  while (!target.startsWith(`${folder}/`)) folder = path.posix.dirname(folder);
  const roomOf = (one: string) => {
    const [room = "", ...rest] = one.slice(folder.length + 1).split("/");
    return rest.length === 0 ? folder : `${folder}/${room}`;
  };
  return { folder, from: roomOf(file), to: roomOf(target) };
}
