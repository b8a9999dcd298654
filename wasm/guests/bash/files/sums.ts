import type { CustomCommand } from "just-bash/browser";
import { bytesOfLatin1 } from "../../runtime/text-encoding.ts";
import { type Input, inputsOf, textCommand } from "../text/command.ts";

/** The polynomial of the checksum. Source: POSIX, cksum. */
const POLYNOMIAL = 0x04c1_1db7;
const BITS = 8;
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte << 24;
  for (let bit = 0; bit < BITS; bit++) rest = rest & 0x8000_0000 ? (rest << 1) ^ POLYNOMIAL : rest << 1;
  return rest;
});

/** `cksum` and `sum`, which print a checksum and the size of each file. */
export const SUM_COMMANDS: readonly CustomCommand[] = [
  textCommand("cksum", { flags: "" }, async (call) =>
    (await inputsOf(call))
      .map((input) => `${crcOf(input)} ${input.bytes.length}${nameOf(input, call.operands)}\n`)
      .join(""),
  ),
  textCommand("sum", { flags: "rs", long: { sysv: "s" } }, async (call) =>
    (await inputsOf(call))
      .map((input) => {
        const shown = call.flags.has("s") ? sizedSum(input) : rotatedSum(input);
        return `${shown}${nameOf(input, call.operands)}\n`;
      })
      .join(""),
  ),
];

function nameOf({ name }: Input, operands: readonly string[]): string {
  return operands.length === 0 ? "" : ` ${name}`;
}

/** The checksum of the bytes, and then of their number, the lowest byte first. */
function crcOf({ bytes }: Input): number {
  let sum = 0;
  const add = (byte: number): void => {
    sum = (sum << BITS) ^ (TABLE[((sum >>> 24) ^ byte) & 255] ?? 0);
  };
  for (const byte of bytesOfLatin1(bytes)) add(byte);
  for (let length = bytes.length; length > 0; length = Math.floor(length / 256)) add(length & 255);
  return ~sum >>> 0;
}

/** The sum of BSD, and the number of blocks of 1024 bytes. */
function rotatedSum({ bytes }: Input): string {
  let sum = 0;
  for (const byte of bytesOfLatin1(bytes)) sum = ((sum >> 1) + ((sum & 1) << 15) + byte) & 0xffff;
  return `${String(sum).padStart(5, "0")} ${String(Math.ceil(bytes.length / 1024)).padStart(5)}`;
}

/** The sum of System V, and the number of blocks of 512 bytes. */
function sizedSum({ bytes }: Input): string {
  let total = 0;
  for (const byte of bytesOfLatin1(bytes)) total += byte;
  const folded = (total % 0x1_0000) + (Math.floor(total / 0x1_0000) % 0x1_0000);
  return `${(folded % 0x1_0000) + Math.floor(folded / 0x1_0000)} ${Math.ceil(bytes.length / 512)}`;
}
