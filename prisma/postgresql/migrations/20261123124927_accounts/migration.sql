-- CreateTable
CREATE TABLE "Account" (
    "name" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "passwordHash" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "signedInAt" TIMESTAMP(3),

    CONSTRAINT "Account_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "LoginSession" (
    "id" TEXT NOT NULL,
    "accountName" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "usedAt" TIMESTAMP(3) NOT NULL,
    "expiresAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "LoginSession_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "AccountLink" (
    "personId" TEXT NOT NULL,
    "personName" TEXT NOT NULL,
    "accountName" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "AccountLink_pkey" PRIMARY KEY ("personId")
);

-- CreateIndex
CREATE INDEX "LoginSession_accountName_idx" ON "LoginSession"("accountName");

-- CreateIndex
CREATE INDEX "AccountLink_accountName_idx" ON "AccountLink"("accountName");
