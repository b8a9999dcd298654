-- CreateTable
CREATE TABLE "BudgetReservation" (
    "runId" TEXT NOT NULL PRIMARY KEY,
    "id" TEXT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "personId" TEXT NOT NULL,
    "channelId" TEXT NOT NULL,
    "calls" INTEGER NOT NULL,
    "costUsd" REAL NOT NULL,
    "tokens" INTEGER NOT NULL,
    "createdAt" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "BudgetLock" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "taken" INTEGER NOT NULL
);
