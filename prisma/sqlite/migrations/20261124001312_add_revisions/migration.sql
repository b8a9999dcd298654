-- CreateTable
CREATE TABLE "Revision" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "content" TEXT,
    "by" TEXT NOT NULL,
    "at" DATETIME NOT NULL
);

-- CreateIndex
CREATE UNIQUE INDEX "Revision_kind_name_number_key" ON "Revision"("kind", "name", "number");
