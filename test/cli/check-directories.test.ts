import { chmodSync, readdirSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { checkDirectories, checkWritable } from "../../src/cli/doctor/checks.ts";
import { load } from "../support/program/config-sources.ts";
import { tempDirectory } from "../support/temp-directory.ts";

test.each([
  { mode: 0o755, found: 1 },
  { mode: 0o700, found: 0 },
  { mode: 0o750, found: 0 },
])("a channel's directory with mode $mode causes $found warnings, and its mode is not changed", ({ mode, found }) => {
  const directory = tempDirectory();
  chmodSync(directory, mode);
  const findings = checkDirectories(load({ file: { channels: { "slack:C1": { directory } } } }));
  expect(findings).toHaveLength(found);
  expect(findings.every(({ ok, text }) => ok && text.includes("other users of this machine can access"))).toBe(true);
  expect(statSync(directory).mode & 0o777).toBe(mode);
});

test.each([
  { directory: "/nowhere/at/all", line: "/nowhere/at/all does not exist. Create it, or correct the path." },
  { directory: "/dev/null", line: "/dev/null is not a directory." },
  {
    directory: "/dev/null/x",
    line: "/dev/null/x cannot be accessed (ENOTDIR). Give this user access, or correct the path.",
  },
])("an unusable channel directory is reported, and the others are still checked: $directory", ({ directory, line }) => {
  const config = load({ file: { channels: { "slack:C1": { directory }, "slack:C2": { directory: "/nowhere" } } } });
  const [first, second] = checkDirectories(config);
  expect(first).toEqual({ ok: false, text: `channels.slack:C1.directory: ${line}` });
  expect(second?.text).toContain("channels.slack:C2.directory");
});

test("a nearly full disk is reported with its free space", () => {
  const directory = tempDirectory();
  const finding = checkWritable("DECKHAND_HOME", directory, { littleBytes: Number.POSITIVE_INFINITY });
  expect(finding).toMatchObject({ ok: true, isWarning: true });
  expect(finding.text).toMatch(/^DECKHAND_HOME .+: its disk has only [\d.]+ .?B left\. Free up space\.$/u);
  expect(checkWritable("DECKHAND_HOME", directory, { littleBytes: 0 }).isWarning).toBeUndefined();
  expect(readdirSync(directory)).toEqual([]);
});
