-- CreateTable
CREATE TABLE "PlatformPresence" (
    "platform" TEXT NOT NULL,
    "seenAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "PlatformPresence_pkey" PRIMARY KEY ("platform")
);

-- CreateTable
CREATE TABLE "AnsweredMessage" (
    "key" TEXT NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "AnsweredMessage_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "AnsweredMessage_at_idx" ON "AnsweredMessage"("at");
