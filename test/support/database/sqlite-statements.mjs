import { appendFileSync } from "node:fs";
import path from "node:path";
import BetterSqlite3 from "better-sqlite3";

/**
 * Loaded before the program: writes each statement that SQLite executes on the database STATEMENTS_OF to the file
 * STATEMENTS_TO, as a line of JSON. Prepared and cached statements are recorded like all others.
 */
const { STATEMENTS_OF: database, STATEMENTS_TO: file } = process.env;

const probe = new BetterSqlite3(":memory:");
const { prototype } = probe.prepare("SELECT 1").constructor;
for (const name of ["run", "all", "get", "iterate"]) {
  const carryOut = prototype[name];
  prototype[name] = function (...values) {
    if (path.resolve(this.database.name) === database) appendFileSync(file, `${JSON.stringify(this.source)}\n`);
    return carryOut.apply(this, values);
  };
}
probe.close();
