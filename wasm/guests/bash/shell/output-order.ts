import { textKeepingBytes, utf8Bytes } from "../../runtime/text-encoding.ts";

export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  /** Lengths of the parts of stdout (positive) and stderr (negative), in the order in which they were printed. */
  readonly parts?: readonly number[];
}

/** Collects the output of several commands. */
interface Collector {
  parts?: number[];
}

function lengthOf(parts: readonly number[], sign: 1 | -1): number {
  return parts.reduce((sum, part) => sum + Math.max(part * sign, 0), 0);
}

/** The parts of a result; stdout comes first if the order is not known. */
function partsOf({ stdout, stderr, parts = [] }: Printed): readonly number[] {
  const length = lengthOf(parts, 1);
  if (lengthOf(parts, -1) === stderr.length) {
    if (length === stdout.length) return parts;
    // The interpreter may have decoded or encoded stdout since.
    const [text, bytes] = [textKeepingBytes(stdout), utf8Bytes(stdout)];
    if (length === text.length) return converted(parts, text, utf8Bytes);
    if (length === bytes.length) return converted(parts, bytes, textKeepingBytes);
  }
  return [stdout.length, -stderr.length];
}

function converted(parts: readonly number[], text: string, convert: (part: string) => string): number[] {
  let at = 0;
  return parts.map((part) => (part < 0 ? part : convert(text.slice(at, (at += part))).length));
}

/** Records what a command printed, at the end of what the ones before it printed. */
export function addParts(collector: Collector, printed: Printed): void {
  collector.parts ??= [];
  for (const part of partsOf(printed)) {
    const last = collector.parts.at(-1) ?? 0;
    if (last * part > 0) collector.parts[collector.parts.length - 1] = last + part;
    else if (part !== 0) collector.parts.push(part);
  }
}

/** Records what was added to both streams since they held `before`. */
export function addRest(collector: Collector, before: Printed, after: Printed): void {
  const [parts, stdout, stderr] = [before.parts, after.stdout.length, after.stderr.length];
  collector.parts = [...(parts ?? [])];
  addParts(collector, {
    stdout: after.stdout.slice(Math.min(before.stdout.length, stdout)),
    stderr: after.stderr.slice(Math.min(before.stderr.length, stderr)),
  });
}

/** Both streams of a result as one text, in the order in which they were printed. */
export function inOrder(result: Printed, stdout: string, stderr: string): string {
  let text = "";
  let [out, err] = [0, 0];
  for (const part of partsOf({ ...result, stdout, stderr })) {
    if (part > 0) text += stdout.slice(out, (out += part));
    else text += stderr.slice(err, (err -= part));
  }
  return text;
}

/** Where the interpreter writes a stream: a file's path is its own, or that of the descriptor. */
interface Target {
  readonly kind: string;
  readonly path?: string;
  readonly source?: { readonly entry: { readonly path?: string } };
}

/** Whether two streams go to the same output. */
export function isSameTarget(a: Target, b: Target): boolean {
  const [path, other] = [a, b].map(({ path, source }) => path ?? source?.entry.path);
  return path === undefined ? a.kind === b.kind && a.kind.startsWith("live") : path === other;
}
