-- CreateTable
CREATE TABLE "Account" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "role" TEXT NOT NULL,
    "passwordHash" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "signedInAt" DATETIME
);

-- CreateTable
CREATE TABLE "LoginSession" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountName" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "usedAt" DATETIME NOT NULL,
    "expiresAt" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "AccountLink" (
    "personId" TEXT NOT NULL PRIMARY KEY,
    "personName" TEXT NOT NULL,
    "accountName" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL
);

-- CreateIndex
CREATE INDEX "LoginSession_accountName_idx" ON "LoginSession"("accountName");

-- CreateIndex
CREATE INDEX "AccountLink_accountName_idx" ON "AccountLink"("accountName");
