-- A reservation lasts as long as its call; calls that a stop of the program has ended have none.
DELETE FROM "BudgetReservation";

-- AlterTable
ALTER TABLE "Usage" DROP CONSTRAINT "Usage_pkey",
ADD COLUMN     "cut" INTEGER NOT NULL DEFAULT 0,
ADD CONSTRAINT "Usage_pkey" PRIMARY KEY ("runId", "turn", "cut");

-- AlterTable
ALTER TABLE "BudgetReservation" DROP COLUMN "id",
ADD COLUMN     "inputTokens" INTEGER NOT NULL,
ADD COLUMN     "inputUsd" DOUBLE PRECISION,
ADD COLUMN     "model" TEXT NOT NULL;
