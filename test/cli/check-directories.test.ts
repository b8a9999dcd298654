import { chmodSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { checkDirectories } from "../../src/cli/doctor/checks.ts";
import { load } from "../support/program/config-sources.ts";
import { tempDirectory } from "../support/temp-directory.ts";

test.each([
  { mode: 0o755, found: 1 },
  { mode: 0o700, found: 0 },
  { mode: 0o750, found: 0 },
])("a channel's directory with mode $mode is named: $found, and left as it is", ({ mode, found }) => {
  const directory = tempDirectory();
  chmodSync(directory, mode);
  const findings = checkDirectories(load({ file: { channels: { "slack:C1": { directory } } } }));
  expect(findings).toHaveLength(found);
  expect(findings.every(({ ok, text }) => ok && text.includes("other users of this machine can enter"))).toBe(true);
  expect(statSync(directory).mode & 0o777).toBe(mode);
});
