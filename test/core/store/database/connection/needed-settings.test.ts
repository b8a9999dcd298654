import { expect, test } from "vitest";
import { settingProblems } from "../../../../../src/core/store/database/connection/needed-settings.ts";

const versions = [
  { version: "9.6.24", fits: false },
  { version: "12.22 (Debian 12.22-1.pgdg120+1)", fits: false },
  { version: "13.23", fits: false },
  { version: "14.23", fits: true },
  { version: "15.8 (Ubuntu 15.8-1)", fits: true },
  { version: "19beta1", fits: true },
  { version: "20.0", fits: true },
];

test.each(versions)("PostgreSQL $version is taken: $fits", ({ version, fits }) => {
  const problem = `DATABASE_URL: the database's server_version is ${version}. It must be 14 or newer: upgrade the server, or name another one.`;
  expect(settingProblems([version, "read committed", "ISO, MDY", "UTF8"])).toEqual(fits ? [] : [problem]);
});
