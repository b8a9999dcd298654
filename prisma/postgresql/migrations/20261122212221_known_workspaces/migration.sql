-- CreateTable
CREATE TABLE "KnownWorkspace" (
    "id" TEXT NOT NULL,
    "platform" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "isServed" BOOLEAN NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "KnownWorkspace_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "KnownWorkspace_platform_idx" ON "KnownWorkspace"("platform");
