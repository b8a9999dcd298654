-- CreateTable
CREATE TABLE "MemorySent" (
    "day" DATETIME NOT NULL PRIMARY KEY,
    "texts" INTEGER NOT NULL
);
