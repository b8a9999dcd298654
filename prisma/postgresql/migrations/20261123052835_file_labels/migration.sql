-- CreateTable
CREATE TABLE "FileLabel" (
    "root" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "label" TEXT NOT NULL,

    CONSTRAINT "FileLabel_pkey" PRIMARY KEY ("root","path","sha256")
);
