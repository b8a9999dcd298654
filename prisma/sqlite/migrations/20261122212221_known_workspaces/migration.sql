-- CreateTable
CREATE TABLE "KnownWorkspace" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "platform" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "isServed" BOOLEAN NOT NULL,
    "at" DATETIME NOT NULL
);

-- CreateIndex
CREATE INDEX "KnownWorkspace_platform_idx" ON "KnownWorkspace"("platform");
