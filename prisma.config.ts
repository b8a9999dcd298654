import { defineConfig } from "prisma/config";

// `prisma` commands work on the database that DATABASE_URL names, past a pooler; SQLite when it names none.
const url = process.env["DATABASE_DIRECT_URL"] ?? process.env["DATABASE_URL"] ?? "file:./data/deckhand.db";
const provider = url.startsWith("postgres") ? "postgresql" : "sqlite";

export default defineConfig({
  schema: `prisma/${provider}`,
  migrations: { path: `prisma/${provider}/migrations` },
  datasource: { url },
});
