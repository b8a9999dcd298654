import { z } from "zod";
import { field } from "../../config/fields.ts";
import type { Feature } from "../../feature.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

const loginSchema = z
  .strictObject({
    idleMinutes: field(
      z.int().min(1).max(43_200).default(720),
      "Minutes after which a browser that nobody uses is signed out.",
      60,
    ),
    longestHours: field(z.int().min(1).max(8_760).default(336), "Hours after which everybody signs in again.", 24),
  })
  .prefault({});

const file = {
  login: field(loginSchema, "How long people stay signed in on the page (docs/login.md).", { idleMinutes: 60 }),
};

/** Whoever opens the page beyond this machine signs in. */
export const accountsFeature: Feature = {
  name: "accounts",
  settings: { file },
  commands: [
    {
      name: "link",
      description: "show that an account of the web page is yours",
      usage: "[account code | off]",
      permission: "everyone",
      whenOff: "Accounts are off.",
    },
  ],
  configure: (given) => {
    const { login } = z.object(file).parse(given.file);
    const limits = { idleMs: login.idleMinutes * MINUTE_MS, longestMs: login.longestHours * HOUR_MS };
    return {
      problems: [],
      isEssential: true,
      open: async (host) => {
        const [{ createLogins }, { linkCommand }] = await Promise.all([import("./accounts.ts"), import("./link.ts")]);
        return { logins: createLogins(host, limits), commands: { link: linkCommand(host) } };
      },
    };
  },
};
