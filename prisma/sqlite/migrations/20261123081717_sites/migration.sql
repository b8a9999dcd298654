-- CreateTable
CREATE TABLE "Site" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "channelId" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "passwordHash" TEXT,
    "ownerId" TEXT NOT NULL,
    "ownerName" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "SiteVersion" (
    "siteName" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "directory" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "files" INTEGER NOT NULL,
    "bytes" INTEGER NOT NULL,
    "byId" TEXT NOT NULL,
    "byName" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,

    PRIMARY KEY ("siteName", "number")
);

-- CreateIndex
CREATE INDEX "Site_channelId_idx" ON "Site"("channelId");

-- CreateIndex
CREATE UNIQUE INDEX "SiteVersion_key_key" ON "SiteVersion"("key");
