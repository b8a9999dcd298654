import { useEmptiedFiles } from "../../support/database/emptied-databases.ts";
import { useEmptiedPostgres } from "../../support/database/emptied-postgres.ts";
import { lessonsContract } from "./lessons-contract.ts";

lessonsContract("sqlite", useEmptiedFiles());
lessonsContract("postgresql", useEmptiedPostgres());
