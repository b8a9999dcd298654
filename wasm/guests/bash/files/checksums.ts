import { bytesOfLatin1, latin1Of } from "../../runtime/text-encoding.ts";
import { type Call, type Input, inputsOf, linesOf, Refusal, textCommand, textOf } from "../text/command.ts";

const OPTIONS = {
  flags: "bctqsw",
  long: { binary: "b", check: "c", text: "t", quiet: "q", status: "s", warn: "w" },
} as const;

/** Commands for digests that just-bash lacks. */
export const CHECKSUM_COMMANDS = ([384, 512] as const).map((size) =>
  textCommand(`sha${size}sum`, OPTIONS, async (call) => {
    const algorithm = `SHA-${size}`;
    if (call.flags.has("c")) return checked(call, algorithm);
    const sums: string[] = [];
    for (const input of await inputsOf(call))
      sums.push(`${await digestOf(input, algorithm)} ${call.flags.has("b") ? "*" : " "}${input.name}\n`);
    return sums.join("");
  }),
);

async function digestOf({ bytes }: Input, algorithm: string): Promise<string> {
  const digest = await crypto.subtle.digest(algorithm, new Uint8Array(bytesOfLatin1(bytes)));
  return Array.from(latin1Of(new Uint8Array(digest)), (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join(
    "",
  );
}

async function checked(call: Call, algorithm: string): Promise<readonly [string, number]> {
  const { flags, complaints } = call;
  const lines = (await inputsOf(call)).flatMap((input) => linesOf(textOf(input)));
  const listed = lines.flatMap((line) => {
    const [, sum, name] = /^\\?([\da-f]+) [ *](.+)$/i.exec(line) ?? [];
    return sum === undefined || name === undefined ? [] : [{ sum: sum.toLowerCase(), name }];
  });
  if (listed.length === 0) throw new Refusal("no properly formatted checksum lines found");
  let printed = "";
  let [unread, wrong] = [0, 0];
  for (const { sum, name } of listed) {
    const [input] = await inputsOf(call, [name]);
    const verdict =
      input === undefined ? "FAILED open or read" : (await digestOf(input, algorithm)) === sum ? "OK" : "FAILED";
    if (input === undefined) unread++;
    else if (verdict === "FAILED") wrong++;
    if (!flags.has("s") && !(flags.has("q") && verdict === "OK")) printed += `${name}: ${verdict}\n`;
  }
  const warn = (count: number, one: string, many: string) =>
    count > 0 && !flags.has("s") && complaints.push(`WARNING: ${count} ${count === 1 ? one : many}`);
  warn(unread, "listed file could not be read", "listed files could not be read");
  warn(wrong, "computed checksum did NOT match", "computed checksums did NOT match");
  return [printed, unread + wrong > 0 ? 1 : 0];
}
