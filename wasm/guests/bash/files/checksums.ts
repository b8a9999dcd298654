import { openFilesystem } from "../../workspace-files.ts";
import { type Call, inputsOf, linesOf, Refusal, textCommand, textOf } from "../text/command.ts";

const OPTIONS = {
  flags: "bctqswT",
  long: { tag: "T", binary: "b", check: "c", text: "t", quiet: "q", status: "s", warn: "w" },
} as const;

const ALGORITHMS = { md5: "MD5", sha1: "SHA-1", sha256: "SHA-256", sha384: "SHA-384", sha512: "SHA-512" };

const host = openFilesystem(String, () => {});

/** Commands that print or check digests, which the host computes. */
export const CHECKSUM_COMMANDS = Object.entries(ALGORITHMS).map(([name, algorithm]) =>
  textCommand(`${name}sum`, OPTIONS, async (call) => {
    if (call.flags.has("c")) return checked(call, algorithm);
    const mark = call.flags.has("b") ? "*" : " ";
    const line = (digest: string, file: string) =>
      call.flags.has("T") ? `${name.toUpperCase()} (${file}) = ${digest}\n` : `${digest} ${mark}${file}\n`;
    return (await inputsOf(call)).map(({ bytes, name: file }) => line(host.digest(algorithm, bytes), file)).join("");
  }),
);

async function checked(call: Call, algorithm: string): Promise<readonly [string, number]> {
  const { flags, complaints } = call;
  const lines = (await inputsOf(call)).flatMap((input) => linesOf(textOf(input)));
  const listed = lines.flatMap((line) => {
    const [, tagged, digest] = /^(?:MD5|SHA\d+) \((.+)\) = ([\da-f]+)$/.exec(line) ?? [];
    const [, sum = digest, name = tagged] = /^\\?([\da-f]+) [ *](.+)$/i.exec(line) ?? [];
    return sum === undefined || name === undefined ? [] : [{ sum: sum.toLowerCase(), name }];
  });
  if (listed.length === 0) throw new Refusal("no properly formatted checksum lines found");
  let printed = "";
  let [unread, wrong] = [0, 0];
  for (const { sum, name } of listed) {
    const [input] = await inputsOf(call, [name]);
    const verdict =
      input === undefined ? "FAILED open or read" : host.digest(algorithm, input.bytes) === sum ? "OK" : "FAILED";
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
