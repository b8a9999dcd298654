import { DatabaseSync } from "node:sqlite";

/** SQLite's code for a locked database. */
const BUSY = 5;

/** The longest time that SQLite can wait, about three weeks: the holder of the lock is alive. In milliseconds. */
const UNTIL_FREE_MS = 2 ** 31 - 1;

/**
 * Takes a lock among processes, waiting if necessary. It is the operating system's lock of an empty database, which is
 * released when its holder ends for any reason, so no process has to guess whether another is alive.
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
