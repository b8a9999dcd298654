-- AlterTable
ALTER TABLE "Session" ADD COLUMN     "parentCallId" TEXT,
ADD COLUMN     "parentId" TEXT,
ADD COLUMN     "parentRunId" TEXT,
ADD COLUMN     "plan" TEXT,
ADD COLUMN     "settings" TEXT NOT NULL DEFAULT '{}',
ADD COLUMN     "task" TEXT;

-- AlterTable
ALTER TABLE "InboxEvent" ADD COLUMN     "resumes" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "Approval" (
    "id" TEXT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "runId" TEXT NOT NULL,
    "turn" INTEGER NOT NULL,
    "calls" TEXT NOT NULL,
    "people" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "scope" TEXT,
    "decidedBy" TEXT,
    "expiresAt" TIMESTAMP(3) NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "decidedAt" TIMESTAMP(3),

    CONSTRAINT "Approval_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Grant" (
    "id" TEXT NOT NULL,
    "sessionId" TEXT,
    "channelId" TEXT NOT NULL,
    "personId" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "grantedBy" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "revokedAt" TIMESTAMP(3),

    CONSTRAINT "Grant_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Question" (
    "id" TEXT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "runId" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "askedOf" TEXT,
    "body" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "answer" TEXT,
    "answeredBy" TEXT,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "answeredAt" TIMESTAMP(3),

    CONSTRAINT "Question_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "Approval_sessionId_status_idx" ON "Approval"("sessionId", "status");

-- CreateIndex
CREATE INDEX "Grant_channelId_personId_idx" ON "Grant"("channelId", "personId");

-- CreateIndex
CREATE INDEX "Grant_sessionId_idx" ON "Grant"("sessionId");

-- CreateIndex
CREATE INDEX "Question_sessionId_status_idx" ON "Question"("sessionId", "status");

-- CreateIndex
CREATE INDEX "Session_parentId_idx" ON "Session"("parentId");
