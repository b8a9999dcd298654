-- CreateTable
CREATE TABLE "McpSignIn" (
    "server" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "sealed" TEXT NOT NULL,
    "by" TEXT NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,
    "renewedAt" TIMESTAMP(3) NOT NULL,
    "renewingUntil" TIMESTAMP(3),
    "refusedAt" TIMESTAMP(3),

    CONSTRAINT "McpSignIn_pkey" PRIMARY KEY ("server")
);
