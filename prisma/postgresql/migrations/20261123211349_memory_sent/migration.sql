-- CreateTable
CREATE TABLE "MemorySent" (
    "day" TIMESTAMP(3) NOT NULL,
    "texts" INTEGER NOT NULL,

    CONSTRAINT "MemorySent_pkey" PRIMARY KEY ("day")
);
