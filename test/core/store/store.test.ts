import { storeContract } from "../../contracts/store.ts";
import { postgresHarness, sqliteHarness } from "../../support/database/harnesses.ts";

storeContract("SQLite", sqliteHarness);
storeContract("PostgreSQL", postgresHarness);
