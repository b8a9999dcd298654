-- CreateTable
CREATE TABLE "LoginAttempt" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "count" INTEGER NOT NULL,
    "until" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "LinkCode" (
    "accountName" TEXT NOT NULL PRIMARY KEY,
    "hash" TEXT NOT NULL,
    "until" DATETIME NOT NULL
);

-- CreateIndex
CREATE INDEX "LoginAttempt_until_idx" ON "LoginAttempt"("until");
