import { fileURLToPath } from "node:url";

/** Directory of the built page, written by build-page.ts and read by the server. */
export const PAGE_DIRECTORY = fileURLToPath(new URL("../../../../build/web", import.meta.url));
