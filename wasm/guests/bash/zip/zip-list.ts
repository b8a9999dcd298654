import { STORED, type ZipEntry } from "./zip-format.ts";

/** The table of `unzip -l`. */
export function listOf(entries: readonly ZipEntry[]): string {
  const rows = entries.map(({ name, size, wallMs }) => `${String(size).padStart(9)}  ${timeOf(wallMs)}   ${name}\n`);
  return `  Length      Date    Time    Name
---------  ---------- -----   ----
${rows.join("")}---------                     -------
${String(sizeOf(entries)).padStart(9)}                     ${countOf(entries)}
`;
}

/** The table of `unzip -v`. */
export function tableOf(entries: readonly ZipEntry[]): string {
  const rows = entries.map((entry) => {
    const { name, size, packed, method, wallMs, crc } = entry;
    const hex = crc.toString(16).padStart(8, "0");
    const kind = method === STORED ? "Stored" : "Defl:N";
    return `${right(size, 8)}  ${kind} ${right(packed.length, 8)} ${right(`${savedOf(size, packed.length)}%`, 4)} ${timeOf(wallMs)} ${hex}  ${name}\n`;
  });
  const size = sizeOf(entries);
  const packed = entries.reduce((sum, one) => sum + one.packed.length, 0);
  return ` Length   Method    Size  Cmpr    Date    Time   CRC-32   Name
--------  ------  ------- ---- ---------- ----- --------  ----
${rows.join("")}--------          -------  ---                            -------
${right(size, 8)}         ${right(packed, 8)} ${right(`${savedOf(size, packed)}%`, 4)}                            ${countOf(entries)}
`;
}

/** Percentage of the size that compression saves. */
export function savedOf(size: number, packed: number): number {
  return size === 0 ? 0 : Math.round(100 - (100 * packed) / size);
}

function right(value: number | string, width: number): string {
  return String(value).padStart(width);
}

function timeOf(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 16).replace("T", " ");
}

function sizeOf(entries: readonly ZipEntry[]): number {
  return entries.reduce((sum, one) => sum + one.size, 0);
}

function countOf({ length }: readonly ZipEntry[]): string {
  return `${length} file${length === 1 ? "" : "s"}`;
}
