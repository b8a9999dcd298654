import { memoriesContract } from "../../contracts/memories.ts";
import { useEmptiedDatabases } from "../../support/database/emptied-databases.ts";
import { useEmptiedPostgres } from "../../support/database/emptied-postgres.ts";

const onPostgresql = useEmptiedPostgres();

memoriesContract("sqlite", useEmptiedDatabases());
memoriesContract("postgresql", async () => (await onPostgresql()).store);
