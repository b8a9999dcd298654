import { defineConfig } from "prisma/config";

// `prisma` commands use the database that DATABASE_URL names, bypassing a pooler; SQLite if none is named.
const url = process.env["DATABASE_DIRECT_URL"] ?? process.env["DATABASE_URL"] ?? "file:./data/deckhand.db";
const provider = url.startsWith("postgres") ? "postgresql" : "sqlite";

export default defineConfig({
  schema: `prisma/${provider}`,
  migrations: { path: `prisma/${provider}/migrations` },
  datasource: { url },
});
