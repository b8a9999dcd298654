import { expect, test } from "vitest";
import { fileSession, text, useSandbox } from "../file-session.ts";

const sandbox = useSandbox();

/** The output without the exit code's line, which must be 0. */
async function printed(command: string, files: Readonly<Record<string, Uint8Array>> = {}): Promise<string[]> {
  const session = fileSession(sandbox);
  for (const [name, bytes] of Object.entries(files)) session.put(name, bytes);
  const [code, ...lines] = text(await session.run("bash", { command: `exec 2>&1; ${command}; true` })).split("\n");
  expect(code).toBe("exit code 0");
  return lines.slice(1);
}

/** Names and sizes as Info-ZIP's programs of Debian 12 print them. */
const SCRIPTS: readonly (readonly [script: string, lines: readonly string[]])[] = [
  [
    `mkdir -p d/e; echo hello > a.txt; yes | head -c 999 > d/n.txt; echo 1 > d/e/ü.txt; chmod 700 a.txt; touch -d '2026-01-02 03:04:06' a.txt d d/e d/e/*; zip -r o a.txt d; zip o.zip a.txt; unzip -l o.zip '*.txt' -x d/n.txt; unzip o -d x; stat -c '%a %y' x/a.txt; cmp d/n.txt x/d/n.txt && echo same`,
    [
      "  adding: a.txt (stored 0%)",
      "  adding: d/ (stored 0%)",
      "  adding: d/e/ (stored 0%)",
      "  adding: d/e/ü.txt (stored 0%)",
      "  adding: d/n.txt (deflated 99%)",
      "updating: a.txt (stored 0%)",
      "Archive:  o.zip",
      "  Length      Date    Time    Name",
      "---------  ---------- -----   ----",
      "        6  2026-01-02 03:04   a.txt",
      "        2  2026-01-02 03:04   d/e/ü.txt",
      "---------                     -------",
      "        8                     2 files",
      "Archive:  o.zip",
      " extracting: x/a.txt                 ",
      "   creating: x/d/",
      "   creating: x/d/e/",
      " extracting: x/d/e/ü.txt            ",
      "  inflating: x/d/n.txt               ",
      "700 2026-01-02 03:04:06.000000000 +0000",
      "same",
    ],
  ],
  [
    `mkdir d; echo 1 > d/a; echo 2 > d/b.log; zip -qr o.zip d -x '*.log'; unzip -Z1 o.zip; zip -j k.zip d/*; zip -d k.zip '*.log'; unzip -p k.zip; zip -q - d/a > s.zip; unzip -t s.zip; ls d/* | zip -q -@ f.zip; unzip -Z1 f.zip`,
    [
      "d/",
      "d/a",
      "  adding: a (stored 0%)",
      "  adding: b.log (stored 0%)",
      "deleting: b.log",
      "1",
      "Archive:  s.zip",
      "    testing: d/a                      OK",
      "No errors detected in compressed data of s.zip.",
      "d/a",
      "d/b.log",
    ],
  ],
  [
    `echo old > a; zip -q o.zip a; echo new > a; unzip -n o.zip; cat a; unzip o.zip; echo $?; cat a; unzip -qo o.zip; cat a; unzip -jqo o.zip a nope; echo $?`,
    [
      "Archive:  o.zip",
      "new",
      "Archive:  o.zip",
      "unzip: a exists and is kept; -o replaces it, -n keeps it",
      "1",
      "new",
      "old",
      "unzip: caution: filename not matched:  nope",
      "11",
    ],
  ],
  [
    `export TZ=Asia/Tokyo; echo 1 > a; touch -d '2026-07-01 09:00:00' a; zip -q o.zip a; unzip -v o.zip | grep -o '2026.*'; TZ=UTC unzip -qo o.zip; TZ=UTC date -r a +%T; zip -q e.zip missing; echo $?; echo x > bad.zip; unzip -l bad; echo $?; zip -q bad.zip a; echo $?; unzip -l nothing; echo $?`,
    [
      "2026-07-01 09:00 6751fc53  a",
      "09:00:00",
      "zip: warning: name not matched: missing",
      "zip: Nothing to do! (e.zip)",
      "12",
      "unzip: End-of-central-directory signature not found. bad.zip is not a ZIP archive, or only a part of one.",
      "9",
      "zip: bad.zip exists and is no ZIP archive",
      "9",
      "unzip: cannot find or open nothing, nothing.zip or nothing.ZIP.",
      "9",
    ],
  ],
];

test.each(SCRIPTS)("zip and unzip print what the originals print: %s", async (command, lines) => {
  expect(await printed(command)).toEqual(lines);
});

/** Archives that Python's zipfile and Info-ZIP have made. */
const MADE = {
  zip64:
    "UEsDBC0AAAAIAIMYIlzkTdBZ//////////8HABQAYmlnLnR4dAEAEAA8AAAAAAAAAAsAAAAAAAAAy0jNyclXyCCLBABQSwECLQMtAAAACACDGCJc5E3QWQsAAAA8AAAABwAAAAAAAAAAAAAApAEAAAAAYmlnLnR4dFBLBQYAAAAAAQABADUAAABEAAAAAAA=",
  stream:
    "UEsDBBQACAgIAIMYIlwAAAAAAAAAAAAAAAAIAAAAcy/DqS50eHQrLilKTcxNTVEoJoIBAFBLBwgMjVKlDgAAAC0AAABQSwECFAMUAAgICACDGCJcDI1SpQ4AAAAtAAAACAAAAAAAAAAAAAAApAEAAAAAcy/DqS50eHRQSwUGAAAAAAEAAQA2AAAARAAAAAAA",
  up: "UEsDBBQAAAAIAIMYIlyDFtyMAwAAAAEAAAAIAAAALi4vLi4vdXCrAABQSwMEFAAAAAgAgxgiXBUm2/sDAAAAAQAAAAgAAAAvZXRjL2Fic6sEAFBLAQIUAxQAAAAIAIMYIlyDFtyMAwAAAAEAAAAIAAAAAAAAAAAAAACkAQAAAAAuLi8uLi91cFBLAQIUAxQAAAAIAIMYIlwVJtv7AwAAAAEAAAAIAAAAAAAAAAAAAACkASkAAAAvZXRjL2Fic1BLBQYAAAAAAgACAGwAAABSAAAAJQBQSwUGIGFuZCBzb21lIG1vcmUgdGhhdCBpcyBub3QgYW4gZW5k",
  broken:
    "UEsDBBQAAAAAAIMYIlwUdcq0BQAAAAUAAAABAAAAYndyb25nUEsBAhQDFAAAAAAAgxgiXBR1yrQFAAAABQAAAAEAAAAAAAAAAAAAAKQBAAAAAGJQSwUGAAAAAAEAAQAvAAAAJAAAAAAA",
  bz: "UEsDBC4AAAAMAIMYIlxghY85JwAAAB4AAAABAAAAekJaaDkxQVkmU1kLiV0eAAACIIAAEABAIAAhAIILF3JFOFCQC4ldHlBLAQIuAy4AAAAMAIMYIlxghY85JwAAAB4AAAABAAAAAAAAAAAAAACkAQAAAAB6UEsFBgAAAAABAAEALwAAAEYAAAAAAA==",
  link: "UEsDBBQAAAAAAIMYIlwKuR8pCwAAAAsAAAABAAAAbC9ldGMvcGFzc3dkUEsDBBQAAAAIAIMYIlxnQVeYBgAAAAQAAAAFAAAAYWZ0ZXIrSk1MAQBQSwECFAMUAAAAAACDGCJcCrkfKQsAAAALAAAAAQAAAAAAAAAAAAAA/6EAAAAAbFBLAQIUAxQAAAAIAIMYIlxnQVeYBgAAAAQAAAAFAAAAAAAAAAAAAACkASoAAABhZnRlclBLBQYAAAAAAgACAGIAAABTAAAAAAA=",
  enc: "UEsDBAoACQAAALIwgV2MsuviEwAAAAcAAAADAAAAc3NzXIj4mbAmtD2vwKbZgE7TUiwIzlBLBwiMsuviEwAAAAcAAABQSwECHgMKAAkAAACyMIFdjLLr4hMAAAAHAAAAAwAAAAAAAAABAAAApIEAAAAAc3NzUEsFBgAAAAABAAEAMQAAAEQAAAAAAA==",
};

const archive = (name: keyof typeof MADE) => ({ "a.zip": Buffer.from(MADE[name], "base64") });

test.each([
  { name: "sizes of 64 bits", archive: "zip64", shows: ["big.txt", "60"] },
  { name: "sizes behind the content, as of a stream", archive: "stream", shows: ["s/é.txt", "45"] },
] as const)("unzip reads an archive with $name", async ({ archive: made, shows }) => {
  const read = "unzip -Z1 a.zip; unzip -p a.zip | wc -c";
  expect(await printed(read, archive(made))).toEqual(shows);
  const program = { "a.zip": Buffer.concat([Buffer.alloc(5_000, 1), archive(made)["a.zip"], Buffer.alloc(9)]) };
  expect(await printed(read, program)).toEqual(shows);
});

test.each([
  { name: "with wrong content", archive: "broken", says: /^unzip: skipping: b {2}bad content: / },
  { name: "compressed otherwise", archive: "bz", says: /^unzip: skipping: z {2}unsupported compression method 12$/ },
  { name: "encrypted", archive: "enc", says: /^unzip: skipping: sss {2}it is encrypted/ },
] as const)("unzip tells of a file $name, and makes none", async ({ archive: made, says }) => {
  const [title, said, code, ...files] = await printed("unzip a.zip; echo $?; ls", archive(made));
  expect([title, code, files]).toEqual(["Archive:  a.zip", "81", ["a.zip"]]);
  expect(said).toMatch(says);
});

test("unzip leaves out links and keeps everything within its directory", async () => {
  expect(await printed("unzip -q a.zip; echo $?; ls", archive("link"))).toEqual([
    "unzip: skipping: l  it is a symbolic link",
    "81",
    "a.zip",
    "after",
  ]);
  expect(await printed("mkdir in; (cd in; unzip -q ../a.zip; echo $?; find .. | sort)", archive("up"))).toEqual([
    'unzip: warning:  skipped "../" path component(s) in ../../up',
    "1",
    "..",
    "../a.zip",
    "../in",
    "../in/etc",
    "../in/etc/abs",
    "../in/up",
  ]);
});
