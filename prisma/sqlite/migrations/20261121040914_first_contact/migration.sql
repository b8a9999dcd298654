-- CreateTable
CREATE TABLE "PlatformPresence" (
    "platform" TEXT NOT NULL PRIMARY KEY,
    "seenAt" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "AnsweredMessage" (
    "key" TEXT NOT NULL PRIMARY KEY,
    "at" DATETIME NOT NULL
);

-- CreateIndex
CREATE INDEX "AnsweredMessage_at_idx" ON "AnsweredMessage"("at");
