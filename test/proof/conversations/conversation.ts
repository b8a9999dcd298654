import type { Setting, Turn } from "../../support/trust/play.ts";
import { said } from "../../support/trust/steps.ts";

/** An everyday conversation. */
export interface Conversation {
  readonly name: string;
  readonly setting?: Setting;
  readonly turns: readonly (Turn & { readonly cards?: Cards })[];
  /** True if the run only reads, or only fetches addresses that a person wrote. */
  readonly asksNobody?: true;
}

/** Number of cards in one turn, without and with labels on text. A turn without this expects no card. */
export type Cards = readonly [before: number, after: number];

const DOCS = {
  "docs.test/": "The handbook. Limits: http://docs.test/limits",
  "docs.test/limits": "At most 300 requests a minute. See http://docs.test/limits/bursts and http://api.test/v1",
  "docs.test/limits/bursts": "Bursts of 20.",
  "docs.test/search?q=limits": "1 hit: http://docs.test/limits",
  "docs.test/long": "words and words\n".repeat(4_000),
  "api.test/v1": "Version 1.",
  "blog.test/post": "How we did it. Our code: http://docs.test/",
};

const REPOSITORY = {
  "src/app.ts": "export const limit = 100;\n",
  "src/app.test.ts": "import { limit } from './app.ts';\n",
  "README.md": "An app. Its docs: http://docs.test/limits\n",
  "notes.txt": "remember the milk\n",
};

export const ALERT = said("CRITICAL: 500s at /checkout since 09:12. Runbook: http://docs.test/limits");

const LISTED = ["docs.test", "api.test"];
export const here: Setting = { pages: DOCS, files: REPOSITORY, allowedHosts: LISTED };
export const reading: Setting = { ...here, mode: "read" };
export const agi: Setting = { ...here, mode: "agi" };
export const underAlert: Setting = { ...here, said: [ALERT] };
