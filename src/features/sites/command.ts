import { readArguments } from "../../core/command-line/arguments.ts";
import type { ChatCommand, CommandContext } from "../../core/command-line/command.ts";
import { didYouMean, nearest } from "../../core/command-line/nearest.ts";
import { quoteInput } from "../../core/command-line/quote-input.ts";
import { effectiveSession } from "../../core/command-line/session-to-change.ts";
import { isAdmin } from "../../core/permissions/access.ts";
import { privateMessage } from "../../core/platform/replies.ts";
import { counted } from "../../core/text/counted.ts";
import { plainLine } from "../../core/text/plain-text.ts";
import { sizeText } from "../../core/text/sizes.ts";
import { utcDay } from "../../core/text/utc.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { Refusal } from "../../tools/wasm/workspace/refusal.ts";
import type { Site, SiteVersion } from "./site.ts";
import type { Sites } from "./sites.ts";

const NAME_CHARS = 80;

interface Use extends Pick<FeatureHost, "sandboxRootOf"> {
  readonly sites: Sites;
  readonly context: CommandContext;
  readonly signal: AbortSignal;
}

interface Typed {
  readonly words: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
}

type Verb = (typed: Typed, use: Use) => Promise<string>;

const VERBS: Readonly<Record<string, Verb>> = { list, publish, unpublish, protect, rollback };
const FLAGS = ["name", "directory", "password", "version"];

/** `/sites` shows and changes a channel's sites. `signal` aborts when the program ends. */
export function sitesCommand(
  sites: Sites,
  { sandboxRootOf }: Pick<FeatureHost, "sandboxRootOf">,
  signal: AbortSignal,
): ChatCommand["run"] {
  return async (line, context) => {
    const read = readArguments(line, { flags: FLAGS });
    if (read.type === "broken") return privateMessage(read.reason);
    const [verb = "list", ...words] = read.words;
    const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    if (run === undefined) {
      const all = Object.keys(VERBS);
      const known = `Use ${all.map((one) => `\`/sites ${one}\``).join(", ")}.`;
      return privateMessage(`I don't know ${quoteInput(verb)}.${didYouMean(nearest(verb, all), known)}`);
    }
    try {
      return privateMessage(await run({ words, flags: read.flags }, { sites, context, signal, sandboxRootOf }));
    } catch (error) {
      if (error instanceof Refusal) return privateMessage(`✗ ${error.payload}`);
      throw error;
    }
  };
}

async function list(_typed: Typed, { sites, context: { channelKey } }: Use): Promise<string> {
  const found = await sites.ofChannel(channelKey);
  if (found.length === 0) return "There are no sites here. Publish one with `/sites publish <name> <directory>`.";
  const versions = await sites.versions(found.map(({ name }) => name));
  const lines = found.map((site) => {
    const own = versions.filter(({ name }) => name === site.name);
    const served = own.find(({ number }) => number === site.version);
    const others = own.filter(({ number }) => number !== site.version).map(({ number }) => number);
    const parts = [
      `**${site.name}** ${sites.urlOf(site.name)}`,
      ...(served === undefined ? [] : [versionText(served)]),
      ...(site.passwordHash === null ? [] : ["password required"]),
      ...(others.length === 0 ? [] : [`kept: ${others.join(", ")}`]),
    ];
    return parts.join(" · ");
  });
  return ["**Sites of this channel**", ...lines].join("\n");
}

function versionText({ number, files, bytes, by, createdAt }: SiteVersion): string {
  const day = utcDay(createdAt);
  return `version ${number}, ${day}, ${plainLine(by.name, NAME_CHARS)} · ${counted(files, "file")}, ${sizeText(bytes)}`;
}

async function publish({ words, flags }: Typed, { sites, context, signal, sandboxRootOf }: Use): Promise<string> {
  const [name = "", directory = ""] = [flags.get("name"), flags.get("directory")].map((flag, at) => flag ?? words[at]);
  if (name === "" || directory === "") return "Tell me the name and the directory: `/sites publish handbook site`.";
  const { mode } = context.configOf(effectiveSession(context));
  if (mode === "read") return "I can't publish here, because the mode is read.";
  const { channelKey, person: by, thread } = context;
  const root = sandboxRootOf(thread);
  const request = { name, source: { root, directory }, channelKey };
  const key = context.runtime.ids.next("publish");
  const version = await sites.publish({ ...request, by: { id: by.id, name: by.name }, key }, signal);
  const { number, files, bytes } = version;
  return `✓ Published as version ${number}: ${sites.urlOf(name)} (${counted(files, "file")}, ${sizeText(bytes)})`;
}

async function unpublish(typed: Typed, use: Use): Promise<string> {
  const site = await changeable(typed, use);
  if (typeof site === "string") return site;
  await use.sites.unpublish(site);
  return `✓ Removed ${site.name} with all its versions.`;
}

async function protect(typed: Typed, use: Use): Promise<string> {
  const site = await changeable(typed, use);
  if (typeof site === "string") return site;
  const wanted = typed.flags.get("password") ?? typed.words[1] ?? "on";
  if (wanted === "off") {
    await use.sites.unprotect(site);
    return `✓ ${site.name} no longer asks for a password.`;
  }
  if (wanted !== "on") {
    return "I create the password myself, so that nobody has to write one in a thread: `/sites protect <name>`, or `/sites protect <name> off`.";
  }
  const password = await use.sites.protect(site);
  return `✓ ${site.name} now asks for this password, which I can't show again: \`${password}\``;
}

async function rollback(typed: Typed, use: Use): Promise<string> {
  const site = await changeable(typed, use);
  if (typeof site === "string") return site;
  const given = typed.flags.get("version") ?? typed.words[1];
  const wanted = given === undefined ? null : Number(given);
  if (wanted !== null && !(Number.isSafeInteger(wanted) && wanted > 0)) {
    return "A version is a number; `/sites list` shows the available ones.";
  }
  const version = await use.sites.rollback(site, wanted);
  if (version !== null) return `✓ ${site.name} is version ${version.number} again: ${use.sites.urlOf(site.name)}`;
  return wanted === null
    ? `${site.name} has no version before ${site.version}.`
    : `${site.name} has no version ${wanted}; \`/sites list\` shows the available ones.`;
}

/** The named site, if this person may change it; otherwise a message. */
async function changeable({ words, flags }: Typed, { sites, context }: Use): Promise<Site | string> {
  const name = flags.get("name") ?? words[0] ?? "";
  if (name === "") return "Which one? `/sites list` shows them.";
  const site = await sites.get(name);
  if (site === null || site.channelKey !== context.channelKey) {
    return `There is no site ${quoteInput(name)} here. \`/sites list\` shows them.`;
  }
  const { person, access } = context;
  if (site.owner.id === person.id || isAdmin(person, access)) return site;
  return `${site.name} is ${plainLine(site.owner.name, NAME_CHARS)}'s: only they and admins can change it.`;
}
