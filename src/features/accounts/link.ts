import { hash, randomInt } from "node:crypto";
import type { ChatCommand, CommandContext } from "../../core/command-line/command.ts";
import { privateMessage } from "../../core/platform/replies.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { type AccountLink, accountName, nameIn } from "./account.ts";
import { accountWriter, type Write } from "./account-writer.ts";
import { type Attempts, createAttempts } from "./attempts.ts";
import { accountReads } from "./store.ts";

/** Characters of codes, without those that are easily confused. */
const SIGNS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const CODE_CHARS = 10;
/** How long a code is valid, and how long wrong ones count. In milliseconds. */
const VALID_MS = 600_000;
/** Maximum number of wrong codes per person in that time. */
const MAX_WRONG = 5;

const NO_ACCOUNT = "There is no account to link: you are on Deckhand's own machine and not signed in.";

interface Use {
  readonly context: CommandContext;
  readonly reads: ReturnType<typeof accountReads>;
  readonly write: Write;
  readonly audit: FeatureHost["audit"];
  /** Counts codes that people have typed. */
  readonly tries: Attempts;
  readonly now: () => number;
}

/**
 * `/link`: creates a code on the page. Whoever types it on a platform, with the account's name, proves that both are
 * theirs; an admin cannot do this for them.
 */
export function linkCommand({
  store,
  runtime: { clock },
  describe,
  audit,
}: Pick<FeatureHost, "store" | "runtime" | "describe" | "audit">): ChatCommand["run"] {
  const tries = createAttempts({ store, clock }, VALID_MS);
  const now = () => clock.now();
  const given = { reads: store.tables(accountReads), write: accountWriter(store), audit, tries, now };
  return async (line, context) => {
    const use = { ...given, context };
    const words = line.match(/\S+/gu) ?? [];
    const name = nameIn(context.person.id);
    if (name !== null) return privateMessage(await onPage(name, words, use));
    return privateMessage(describe(context.thread.platform).isOwn ? NO_ACCOUNT : await onPlatform(words, use));
  };
}

async function onPage(name: string, words: readonly string[], { reads, write, audit, now }: Use): Promise<string> {
  const links = await reads.links(name);
  if (words[0] === "off") {
    await write(async (accounts) => {
      for (const { personId } of links) await accounts.removeLink(personId);
    });
    for (const linked of links) await audit({ by: name, act: "link.removed", about: name, details: who(linked) });
    return links.length === 0 ? "Nobody is linked to your account." : "✓ Nobody is linked to your account now.";
  }
  const code = Array.from({ length: CODE_CHARS }, () => SIGNS[randomInt(SIGNS.length)]).join("");
  const at = now();
  await write((accounts) => accounts.putCode(name, hashOf(code), { now: at, until: at + VALID_MS }));
  const known = links.map(who).join(", ");
  return [
    `Within ten minutes, send this to Deckhand on Slack or Discord as yourself: \`/link ${name} ${code}\``,
    "Your decisions here will then count as that person's. Don't share the code.",
    ...(known === "" ? [] : [`Linked now: ${known}. \`/link off\` unlinks it.`]),
  ].join("\n");
}

async function onPlatform(words: readonly string[], use: Use): Promise<string> {
  const { context, reads, write, audit, tries, now } = use;
  const { person } = context;
  const linked = await reads.link(person.id);
  const [typed, code] = words;
  if (typed === undefined) {
    return linked === null
      ? "No web page account is linked to you. Sign in there and type `/link` to see how."
      : `The web page account ${linked.accountName} is linked to you. \`/link off\` unlinks it.`;
  }
  if (typed === "off" && code === undefined) {
    if (linked !== null) {
      await write((accounts) => accounts.removeLink(person.id));
      await audit({ by: person.name, act: "link.removed", about: linked.accountName, details: who(linked) });
    }
    return linked === null
      ? "No account is linked to you."
      : `✓ The account ${linked.accountName} is no longer linked to you.`;
  }
  const waitS = await tries.count([{ key: `link ${person.id}`, most: MAX_WRONG }]);
  if (waitS > 0) return "✗ Too many wrong codes. Wait ten minutes, then create a new one on the page.";
  const name = accountName(typed);
  const added = { personId: person.id, personName: person.name, accountName: name };
  const isAdded = await write(async (accounts) => {
    if (!(await accounts.takeCode(name, hashOf(code ?? ""), now()))) return false;
    await accounts.addLink(added, now());
    return true;
  });
  if (!isAdded) {
    return "✗ That code is not valid. Type `/link` on the page for a new one, and send the whole line here.";
  }
  await audit({ by: person.name, act: "link.added", about: name, details: who(added) });
  return `✓ The web page account ${name} is linked to you: whoever signs in to it can decide as you. If that is not your account, type \`/link off\` now.`;
}

function hashOf(code: string): string {
  return hash("sha256", code.toUpperCase());
}

function who({ personId, personName }: Pick<AccountLink, "personId" | "personName">): string {
  return `${personName} (${personId})`;
}
