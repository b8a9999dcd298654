-- CreateTable
CREATE TABLE "RunFeedback" (
    "runId" TEXT NOT NULL,
    "personId" TEXT NOT NULL,
    "channelId" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "RunFeedback_pkey" PRIMARY KEY ("runId","personId")
);

-- CreateTable
CREATE TABLE "RunUndo" (
    "runId" TEXT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "files" TEXT NOT NULL,
    "by" TEXT NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "RunUndo_pkey" PRIMARY KEY ("runId")
);

-- CreateIndex
CREATE INDEX "RunFeedback_at_idx" ON "RunFeedback"("at");

-- CreateIndex
CREATE INDEX "RunUndo_sessionId_at_idx" ON "RunUndo"("sessionId", "at");
