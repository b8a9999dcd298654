-- CreateTable
CREATE TABLE "MemoryVector" (
    "seq" INTEGER NOT NULL,
    "model" TEXT NOT NULL,
    "signs" BYTEA NOT NULL,
    "bytes" BYTEA NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "MemoryVector_pkey" PRIMARY KEY ("seq")
);

-- CreateIndex
CREATE INDEX "MemoryVector_createdAt_idx" ON "MemoryVector"("createdAt");

-- AddForeignKey
ALTER TABLE "MemoryVector" ADD CONSTRAINT "MemoryVector_seq_fkey" FOREIGN KEY ("seq") REFERENCES "Memory"("seq") ON DELETE CASCADE ON UPDATE CASCADE;
