import { type Label, originsIn, outsideOf, unionOf } from "./label.ts";

/** A file that a run wrote while its request carried words from outside. */
export interface LabelledFile {
  /** Relative to the sandbox root. */
  readonly path: string;
  readonly sha256: string;
  readonly label: Label;
}

/** What a call did with a file, according to its result. */
interface FileUse {
  readonly path: string;
  readonly sha256: string | null;
  readonly action: "read" | "wrote";
}

/** Label of files that a call has written; null if it carries nothing from outside. */
export function labelForFiles(request: Label, result: Label): Label | null {
  const { who } = unionOf([request, result]);
  const label: Label = {
    who: who.filter((each) => originsIn({ who: [each], holds: [] }).length > 0),
    holds: ["files"],
  };
  return label.who.length === 0 ? null : label;
}

/** Directory of saved attachments. */
const ATTACHMENTS = "attachments/";

/**
 * Label that files bring back into a request: of the files that a call reports as read, in their present state; or, for
 * a program, which reports none, of the files named in its input or output.
 */
export function labelOfFiles(
  { files, text }: { readonly files: readonly FileUse[]; readonly text: string },
  labelled: readonly LabelledFile[],
): Label {
  const read = files.filter(({ action }) => action === "read");
  const isNamed = (path: string) => text.includes(path.slice(path.lastIndexOf("/") + 1));
  const isRead = ({ path, sha256 }: LabelledFile) =>
    read.length > 0 ? read.some((file) => file.path === path && file.sha256 === sha256) : isNamed(path);
  const isAttached =
    read.length > 0 ? read.some(({ path }) => path.startsWith(ATTACHMENTS)) : text.includes(ATTACHMENTS);
  return unionOf([
    ...labelled.filter(isRead).map(({ label }) => label),
    ...(isAttached ? [{ who: [outsideOf("an attachment")], holds: [] }] : []),
  ]);
}
