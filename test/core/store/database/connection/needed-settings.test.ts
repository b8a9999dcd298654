import { expect, test } from "vitest";
import { otherProduct, settingProblems } from "../../../../../src/core/store/database/connection/needed-settings.ts";

const versions = [
  { version: "9.6.24", fits: false },
  { version: "12.22 (Debian 12.22-1.pgdg120+1)", fits: false },
  { version: "13.23", fits: false },
  { version: "14.23", fits: true },
  { version: "15.8 (Ubuntu 15.8-1)", fits: true },
  { version: "19beta1", fits: true },
  { version: "20.0", fits: true },
];

test.each(versions)("PostgreSQL $version is supported: $fits", ({ version, fits }) => {
  const problem = `DATABASE_URL: the database's server_version is ${version}. It must be 14 or newer. Upgrade the server, or use another one.`;
  expect(settingProblems([version, "read committed", "ISO, MDY", "UTF8"])).toEqual(fits ? [] : [problem]);
});

const products = [
  { version: "PostgreSQL 18.4 on x86_64-pc-linux-gnu, compiled by gcc", fits: true },
  { version: "PostgreSQL 16.4 (Debian 16.4-1.pgdg120+2) on aarch64-unknown-linux-gnu", fits: true },
  { version: "CockroachDB CCL v25.1.1 (x86_64-pc-linux-gnu, built 2025/03/01)", fits: false },
  { version: "PostgreSQL 15.12-YB-2.25.2.0-b0 on x86_64-pc-linux-gnu", fits: false },
  { version: "PostgreSQL 8.0.2 on i686-pc-linux-gnu, Redshift 1.0.77467", fits: false },
];

test.each(products)("a server version of $version is supported: $fits", ({ version, fits }) => {
  const problem = otherProduct(version);
  if (fits) expect(problem).toBeNull();
  else expect(problem).toMatch(/^DATABASE_URL: points to another product \(.*\) .* Use a PostgreSQL server\.$/u);
});
