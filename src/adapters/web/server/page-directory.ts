import { fileURLToPath } from "node:url";

/** Where build-page.ts puts the page, and the server finds it. */
export const PAGE_DIRECTORY = fileURLToPath(new URL("../../../../build/web", import.meta.url));
