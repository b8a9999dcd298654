-- CreateTable
CREATE TABLE "BudgetReservation" (
    "runId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "personId" TEXT NOT NULL,
    "channelId" TEXT NOT NULL,
    "calls" INTEGER NOT NULL,
    "costUsd" DOUBLE PRECISION NOT NULL,
    "tokens" INTEGER NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "BudgetReservation_pkey" PRIMARY KEY ("runId")
);

-- CreateTable
CREATE TABLE "BudgetLock" (
    "id" TEXT NOT NULL,
    "taken" INTEGER NOT NULL,

    CONSTRAINT "BudgetLock_pkey" PRIMARY KEY ("id")
);
