import { DatabaseSync } from "node:sqlite";

/** SQLite's own. */
const BUSY = 5;

/** As long as SQLite can wait, some three weeks: whoever holds the lock is alive. Milliseconds. */
const UNTIL_FREE_MS = 2 ** 31 - 1;

/**
 * Takes a lock among processes, or waits for it. It is the operating system's lock of an empty database: it is free as
 * soon as its holder is gone, however that came, and no process has to guess whether another one lives.
 */
export function takeLock(file: string, { onWait }: { readonly onWait: () => void }): Disposable {
  const database = new DatabaseSync(file);
  try {
    if (!isTaken(database)) {
      onWait();
      database.exec(`PRAGMA busy_timeout = ${UNTIL_FREE_MS}; BEGIN EXCLUSIVE`);
    }
  } catch (error) {
    database.close();
    throw error;
  }
  return { [Symbol.dispose]: () => database.close() };
}

function isTaken(database: DatabaseSync): boolean {
  try {
    database.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (error instanceof Error && "errcode" in error && error.errcode === BUSY) return false;
    throw error;
  }
}
