import { decisionContract } from "../../../contracts/decisions.ts";
import { postgresHarness, sqliteHarness } from "../../../support/database/harnesses.ts";

decisionContract("SQLite", sqliteHarness);
decisionContract("PostgreSQL", postgresHarness);
