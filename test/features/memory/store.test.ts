import { memoriesContract } from "../../contracts/memories.ts";
import { useEmptiedDatabases, useEmptiedPostgres } from "../../support/database/emptied-databases.ts";

const onPostgresql = useEmptiedPostgres();

memoriesContract("sqlite", useEmptiedDatabases());
memoriesContract("postgresql", async () => (await onPostgresql()).store);
