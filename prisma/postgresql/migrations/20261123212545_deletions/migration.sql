-- CreateTable
CREATE TABLE "Deletion" (
    "id" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "formerKey" TEXT,
    "pseudonym" TEXT,
    "createdAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "Deletion_pkey" PRIMARY KEY ("id")
);
