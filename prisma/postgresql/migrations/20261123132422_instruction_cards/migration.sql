-- CreateTable
CREATE TABLE "InstructionCard" (
    "channelId" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "runId" TEXT NOT NULL,
    "requesterId" TEXT NOT NULL,
    "requesterName" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "InstructionCard_pkey" PRIMARY KEY ("channelId","path","sha256","runId")
);

-- CreateIndex
CREATE INDEX "InstructionCard_runId_idx" ON "InstructionCard"("runId");
