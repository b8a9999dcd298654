import { useEmptiedFiles, useEmptiedPostgres } from "../../support/database/emptied-databases.ts";
import { lessonsContract } from "./lessons-contract.ts";

lessonsContract("sqlite", useEmptiedFiles());
lessonsContract("postgresql", useEmptiedPostgres());
