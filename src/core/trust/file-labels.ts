import { type Label, originsIn, outsideOf, unionOf } from "./label.ts";

/** A file that a run has written whose request carried words that nobody answers for. */
export interface LabelledFile {
  /** Relative to the sandbox root. */
  readonly path: string;
  readonly sha256: string;
  readonly label: Label;
}

/** What a call has done with files, as its result says it. */
interface FileUse {
  readonly path: string;
  readonly sha256: string | null;
  readonly action: "read" | "wrote";
}

/** The label of what a call has written; null where it carries nothing from outside. */
export function labelForFiles(request: Label, result: Label): Label | null {
  const { who } = unionOf([request, result]);
  const label: Label = {
    who: who.filter((each) => originsIn({ who: [each], holds: [] }).length > 0),
    holds: ["files"],
  };
  return label.who.length === 0 ? null : label;
}

/** Where attachments are saved. */
const ATTACHMENTS = "attachments/";

/**
 * What files bring back into a request: of those that a call says it has read, as they are now; of a program, which does not
 * say so, of those that are named by what it was given or has printed.
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
