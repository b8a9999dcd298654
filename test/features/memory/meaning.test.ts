import { meaningsContract } from "../../contracts/meanings.ts";
import { useEmptiedDatabases, useEmptiedPostgres } from "../../support/database/emptied-databases.ts";
import { meaningsSpentContract } from "./meanings-spent-contract.ts";

const onSqlite = useEmptiedDatabases();
const onPostgresql = useEmptiedPostgres();

for (const contract of [meaningsContract, meaningsSpentContract]) {
  contract("sqlite", onSqlite);
  contract("postgresql", async () => (await onPostgresql()).store);
}
