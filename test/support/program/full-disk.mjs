import { readFileSync } from "node:fs";
import BetterSqlite3 from "better-sqlite3";

/**
 * Loaded before the program: on SIGUSR2 each writing SQLite connection is limited to as many additional pages as the
 * file `pages-left` in its directory says, beyond which SQLite reports a full disk (SQLITE_FULL). An empty file removes
 * the limit.
 */
const connections = new Set();
const prepare = Reflect.get(BetterSqlite3.prototype, "prepare");
BetterSqlite3.prototype.prepare = function (...args) {
  connections.add(this);
  return prepare.apply(this, args);
};

process.on("SIGUSR2", () => {
  const pages = readFileSync("pages-left", "utf8");
  for (const connection of connections) {
    if (!connection.open || Number(connection.pragma("query_only", { simple: true })) === 1) continue;
    const most =
      pages === "" ? 4_294_967_294 : Number(connection.pragma("page_count", { simple: true })) + Number(pages);
    connection.pragma(`max_page_count = ${most}`);
  }
  process.stdout.write(`{"event":"full_disk","pages":"${pages}"}\n`);
});
