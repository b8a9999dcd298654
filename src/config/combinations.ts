import { proxyProblems, proxyWarnings } from "../operations/proxy.ts";
import { isPostgresUrl, urlWarnings } from "./database-url.ts";
import { didYouMean, fileStyle, similarName } from "./problems.ts";
import type { Config } from "./resolve.ts";
import type { Environment } from "./sources.ts";
import { isWithin } from "./within.ts";

/** Findings about settings that require or contradict each other. */
export interface Findings {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

export function checkCombinations(env: Environment): Findings {
  return {
    problems: [...slackProblems(env), ...engineProblems(env), ...directUrlProblems(env), ...proxyProblems(env)],
    warnings: [
      ...tokenWarnings(env),
      ...modeWarnings(env),
      ...urlWarnings("DATABASE_URL", env.DATABASE_URL),
      ...urlWarnings("DATABASE_DIRECT_URL", env.DATABASE_DIRECT_URL),
      ...proxyWarnings(env),
    ],
  };
}

function engineProblems({ DECKHAND_ENGINE: engine, DATABASE_URL: url }: Environment): string[] {
  if (engine !== "dbos" || isPostgresUrl(url)) return [];
  return [
    "DECKHAND_ENGINE: dbos needs PostgreSQL. Example: DATABASE_URL=postgresql://deckhand@localhost:5432/deckhand",
  ];
}

function directUrlProblems({ DATABASE_DIRECT_URL: direct, DATABASE_URL: url }: Environment): string[] {
  if (direct === undefined || isPostgresUrl(url)) return [];
  return [
    "DATABASE_DIRECT_URL: requires DATABASE_URL to be a PostgreSQL URL, and it is not. Unset DATABASE_DIRECT_URL, or set DATABASE_URL. Example: DATABASE_URL=postgresql://deckhand@localhost:6432/deckhand",
  ];
}

function slackProblems(env: Environment): string[] {
  const { SLACK_BOT_TOKEN: bot, SLACK_APP_TOKEN: app, SLACK_SIGNING_SECRET: signing } = env;
  if (bot !== undefined && app === undefined && signing === undefined) {
    return [
      "SLACK_BOT_TOKEN: also requires SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP mode). Example: SLACK_APP_TOKEN=xapp-…",
    ];
  }
  const half = app === undefined ? (signing === undefined ? null : "SLACK_SIGNING_SECRET") : "SLACK_APP_TOKEN";
  if (bot !== undefined || half === null) return [];
  return [`SLACK_BOT_TOKEN: is missing, but ${half} is set. Example: SLACK_BOT_TOKEN=xoxb-…`];
}

const TOKEN_PREFIXES = { SLACK_BOT_TOKEN: "xoxb-", SLACK_APP_TOKEN: "xapp-" } as const;

function tokenWarnings(env: Environment): string[] {
  return Object.entries(TOKEN_PREFIXES).flatMap(([name, prefix]) => {
    const value = env[name];
    if (value === undefined || value.startsWith(prefix)) return [];
    const swapped = Object.entries(TOKEN_PREFIXES).find(([other, own]) => other !== name && value.startsWith(own));
    const hint = swapped === undefined ? "" : ` It looks like the value of ${swapped[0]}.`;
    return [`${name}: does not begin with ${prefix}; Slack will probably refuse it.${hint}`];
  });
}

function modeWarnings(env: Environment): string[] {
  if (env.SLACK_APP_TOKEN === undefined || env.SLACK_SIGNING_SECRET === undefined) return [];
  return ["SLACK_SIGNING_SECRET: is not used, because SLACK_APP_TOKEN selects Socket Mode. Unset one of the two."];
}

const OWN_PREFIXES = /^(DECKHAND|SLACK|DISCORD)_/;

/** The input of the search for variables that nothing reads. */
interface Variables {
  readonly env: Environment;
  /** Names of the variables set in `.env`. */
  readonly inFile: readonly string[];
  /** Names of variables that are read. */
  readonly known: readonly string[];
}

/**
 * Finds variables that seem meant for this program, but are not read; in `.env`, all that share a first word with a
 * known one. These are warnings, not errors, because the environment also contains other programs' variables.
 */
export function unknownVariables({ env, inFile, known }: Variables): string[] {
  const beginnings = new Set(known.map(firstWord));
  const isMeantForUs = (name: string) =>
    name.startsWith("DECKHAND_") || (inFile.includes(name) && beginnings.has(firstWord(name)));
  return Object.keys(env)
    .filter((name) => !known.includes(name) && (isMeantForUs(name) || OWN_PREFIXES.test(name)))
    .flatMap((name) => {
      const bare = name.replace(/^DECKHAND_/u, "");
      const hint = known.includes(bare) ? didYouMean(bare) : similarName(name, known);
      return hint !== null || isMeantForUs(name)
        ? [`${name}: is not a known setting and is ignored.${hint ?? ""}`]
        : [];
    });
}

/** Reports channels whose tools could reach the program's own data: its database, the page's token, its extensions. */
export function exposedHome({ channels, home, sandbox }: Config, fileName: string): string[] {
  const isExposed = (directory: string): boolean =>
    isWithin(home, directory) || (isWithin(directory, home) && !isWithin(directory, sandbox));
  return Object.entries(channels).flatMap(([id, { directory }]) => {
    if (directory === undefined || !isExposed(directory)) return [];
    const key = fileStyle(fileName).label(["channels", id, "directory"]);
    return [
      `${key}: tools could reach Deckhand's own data in ${home}. Choose another directory, or move the data with DECKHAND_HOME.`,
    ];
  });
}

/** `SLACK_BOT_TOKEN` → `SLACK`. */
function firstWord(name: string): string {
  return name.replace(/_.*/u, "");
}
