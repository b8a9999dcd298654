import type { CustomCommand } from "just-bash/browser";
import { type Call, joined, Refusal, textCommand } from "../text/command.ts";
import { withoutSlashes } from "./paths.ts";

/** `rm`, which refuses the root, and `.` and `..`. */
export const RM: CustomCommand = textCommand(
  "rm",
  { flags: "rRfvd", long: { recursive: "r", force: "f", verbose: "v", dir: "d" } },
  remove,
);

async function remove(call: Call): Promise<string> {
  const { flags, operands, context, complaints } = call;
  if (operands.length === 0 && !flags.has("f")) throw new Refusal("missing operand");
  const removed: string[] = [];
  for (const name of operands) {
    if (/(?:^|\/)\.\.?\/*$/.test(name)) complaints.push(`refusing to remove '.' or '..' directory: skipping '${name}'`);
    else if (context.fs.resolvePath(context.cwd, name) === "/")
      complaints.push("it is dangerous to operate recursively on '/'");
    else await removeOne(call, name, removed);
  }
  return flags.has("v") ? joined(removed) : "";
}

async function removeOne(call: Call, name: string, removed: string[]): Promise<void> {
  const { flags, context, complaints } = call;
  const { fs, cwd } = context;
  const path = fs.resolvePath(cwd, name);
  const status = await fs.lstat(path).catch(() => null);
  const refuse = (reason: string) => void complaints.push(`cannot remove '${name}': ${reason}`);
  if (status === null || (name.endsWith("/") && !status.isDirectory)) {
    if (!flags.has("f")) refuse(status === null ? "No such file or directory" : "Not a directory");
    return;
  }
  const isRecursive = flags.has("r") || flags.has("R");
  if (status.isDirectory && !isRecursive) {
    if (!flags.has("d")) return refuse("Is a directory");
    if ((await fs.readdir(path)).length > 0) return refuse("Directory not empty");
  }
  if (status.isDirectory && flags.has("v"))
    for (const one of await fs.readdir(path)) await removeOne(call, `${withoutSlashes(name)}/${one}`, removed);
  try {
    await fs.rm(path, { recursive: isRecursive });
    removed.push(`removed ${status.isDirectory ? "directory " : ""}'${name}'`);
  } catch (error) {
    refuse(error instanceof Error ? error.message : String(error));
  }
}
