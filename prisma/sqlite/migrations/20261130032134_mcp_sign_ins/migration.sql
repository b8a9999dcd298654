-- CreateTable
CREATE TABLE "McpSignIn" (
    "server" TEXT NOT NULL PRIMARY KEY,
    "address" TEXT NOT NULL,
    "sealed" TEXT NOT NULL,
    "by" TEXT NOT NULL,
    "at" DATETIME NOT NULL,
    "renewedAt" DATETIME NOT NULL,
    "renewingUntil" DATETIME,
    "refusedAt" DATETIME
);
