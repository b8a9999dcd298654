-- CreateTable
CREATE TABLE "LoginAttempt" (
    "id" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "until" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "LoginAttempt_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "LinkCode" (
    "accountName" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "until" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "LinkCode_pkey" PRIMARY KEY ("accountName")
);

-- CreateIndex
CREATE INDEX "LoginAttempt_until_idx" ON "LoginAttempt"("until");
