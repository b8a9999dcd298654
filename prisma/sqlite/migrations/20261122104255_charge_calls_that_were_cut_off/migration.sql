-- A reservation lasts as long as its call; calls that a stop of the program has ended have none.
DELETE FROM "BudgetReservation";

-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_Usage" (
    "runId" TEXT NOT NULL,
    "turn" INTEGER NOT NULL,
    "cut" INTEGER NOT NULL DEFAULT 0,
    "sessionId" TEXT NOT NULL,
    "personId" TEXT NOT NULL,
    "channelId" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "stopReason" TEXT NOT NULL,
    "inputTokens" INTEGER NOT NULL,
    "outputTokens" INTEGER NOT NULL,
    "cacheReadTokens" INTEGER NOT NULL,
    "cacheWriteTokens" INTEGER NOT NULL,
    "costUsd" REAL,
    "createdAt" DATETIME NOT NULL,

    PRIMARY KEY ("runId", "turn", "cut")
);
INSERT INTO "new_Usage" ("cacheReadTokens", "cacheWriteTokens", "channelId", "costUsd", "createdAt", "inputTokens", "model", "outputTokens", "personId", "runId", "sessionId", "stopReason", "turn") SELECT "cacheReadTokens", "cacheWriteTokens", "channelId", "costUsd", "createdAt", "inputTokens", "model", "outputTokens", "personId", "runId", "sessionId", "stopReason", "turn" FROM "Usage";
DROP TABLE "Usage";
ALTER TABLE "new_Usage" RENAME TO "Usage";
CREATE INDEX "Usage_sessionId_idx" ON "Usage"("sessionId");
CREATE INDEX "Usage_createdAt_idx" ON "Usage"("createdAt");
CREATE TABLE "new_BudgetReservation" (
    "runId" TEXT NOT NULL PRIMARY KEY,
    "sessionId" TEXT NOT NULL,
    "personId" TEXT NOT NULL,
    "channelId" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "inputTokens" INTEGER NOT NULL,
    "inputUsd" REAL,
    "calls" INTEGER NOT NULL,
    "costUsd" REAL NOT NULL,
    "tokens" INTEGER NOT NULL,
    "createdAt" DATETIME NOT NULL
);
INSERT INTO "new_BudgetReservation" ("calls", "channelId", "costUsd", "createdAt", "personId", "runId", "sessionId", "tokens") SELECT "calls", "channelId", "costUsd", "createdAt", "personId", "runId", "sessionId", "tokens" FROM "BudgetReservation";
DROP TABLE "BudgetReservation";
ALTER TABLE "new_BudgetReservation" RENAME TO "BudgetReservation";
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;
