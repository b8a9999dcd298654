-- CreateTable
CREATE TABLE "ProviderKey" (
    "provider" TEXT NOT NULL PRIMARY KEY,
    "sealed" TEXT NOT NULL,
    "hint" TEXT NOT NULL,
    "by" TEXT NOT NULL,
    "at" DATETIME NOT NULL
);
