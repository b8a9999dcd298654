import type { Button, OutgoingFile, OutgoingMessage } from "../platform/outgoing.ts";
import type { Author } from "../protocol/messages.ts";
import type { ApprovalRow } from "../store/run/approvals.ts";
import type { GrantRow } from "../store/run/grants.ts";
import { codeBlock, cut, escapeMarkdown, inlineCode, plainLine, visibleText } from "../text/plain-text.ts";
import type { CallPreview } from "../tool.ts";
import { unboundKey } from "../trust/grants.ts";

export interface CardCall {
  readonly preview: CallPreview;
  /** Why people are asked even if the mode does not require it. */
  readonly why: string | null;
  readonly label: string;
}

export interface CardFacts {
  readonly approvalId: string;
  /** The sub-agent that makes the calls; null if the thread's own agent does. */
  readonly agent: string | null;
  readonly calls: readonly CardCall[];
  readonly requester: Author;
  readonly others: readonly Author[];
  /** Origins of words that no person answers for; absent if there are none. */
  readonly origins?: readonly string[];
  /** False if no grant may be remembered. */
  readonly mayRemember: boolean;
  readonly deciders: string;
  readonly expiresMinutes: number;
  /** Maximum lengths of the message and of its footer, in characters. */
  readonly maxChars: number;
  readonly footerChars: number;
}

/** Lines of a diff or a program shown on the card; the rest is attached. */
const SHOWN_LINES = 40;
/** Room reserved for the text around the calls. Characters. */
const FRAME_CHARS = 700;
/** Maximum length of what a grant covers, in characters. */
const WHAT_CHARS = 120;
/** Maximum length of a line beside a call, in characters. */
const LINE_CHARS = 300;
/** Maximum number of files attached to a card. Source: Discord docs, Create Message (10 attachments). */
const MAX_FILES = 10;
/** Minimum length of a call's text that is worth showing. Characters. */
const MIN_CHARS = 80;
/** Room for a call's number in a list and the end of its line. Characters. */
const NUMBER_CHARS = 6;

export interface Card {
  readonly message: OutgoingMessage;
  /** False if a call was too long to show whole; it may then be allowed only once. */
  readonly isWhole: boolean;
  /** The same card with the calls in a file, in case the platform refuses `message`. */
  readonly plainer: () => OutgoingMessage;
  /** The same card with as much of the calls as fits, and with why the rest is missing, in case files are forbidden. */
  readonly withoutFiles: (missing: string) => OutgoingMessage;
}

/** The card says what exactly will happen, who asked for it, and who may decide. */
export function approvalCard(facts: CardFacts): Card {
  const plainer = () => attachedCard(facts, null);
  const withoutFiles = (missing: string) => drawnCard(facts, missing)?.message ?? attachedCard(facts, missing);
  const drawn = drawnCard(facts, null) ?? { message: plainer(), isWhole: false };
  return { ...drawn, plainer, withoutFiles };
}

/** The card with each call in a block; null if it does not fit. `missing`: why files are missing; null if they are not. */
function drawnCard(facts: CardFacts, missing: string | null): Pick<Card, "message" | "isWhole"> | null {
  const { calls, maxChars, footerChars } = facts;
  const room = Math.max(MIN_CHARS, Math.floor((maxChars - FRAME_CHARS - (missing ?? "").length) / calls.length));
  const attaches = missing === null;
  const shown = calls.map((call, index) =>
    shownCall(call, { number: calls.length > 1 ? index + 1 : null, room, attaches }),
  );
  const rest = shown.flatMap(({ file }) => (file === null ? [] : [file]));
  const isWhole = attaches && rest.length === 0;
  const files = attaches ? rest : [];
  const texts = shown.map(({ text }) => text);
  const body = [...texts, ...(missing === null || rest.length === 0 ? [] : [missing])].join("\n\n");
  const [only, ...others] = calls;
  const isOne = only !== undefined && others.length === 0;
  const head = isOne ? headed(only.preview.question, facts) : headOf(facts);
  const markdown = `⏸ ${head}\n${isOne ? "" : "\n"}${body}`;
  const message = messageOf(facts, { head, markdown, files, isWhole });
  // The footer shows what a grant would cover, which is part of the decision. It must be shown whole.
  const footer = (message.footer ?? "").length;
  const fits = footer <= footerChars && markdown.length + footer <= maxChars;
  const isDrawn = fits && files.length <= MAX_FILES && calls.every(isNamedWhole);
  return isDrawn ? { message, isWhole } : null;
}

/** Whether no line of a call is cut, since people would decide on a hidden part, such as the end of a path, unseen. */
function isNamedWhole({ preview: { question, facts = [], reach }, label }: CardCall): boolean {
  return [question, ...facts, reach, label].every((text) => text.length <= LINE_CHARS);
}

interface Drawn {
  readonly head: string;
  readonly markdown: string;
  readonly files: readonly OutgoingFile[];
  readonly isWhole: boolean;
}

function messageOf(facts: CardFacts, { head, markdown, files, isWhole }: Drawn): OutgoingMessage {
  const footer = `Waiting for ${facts.deciders} · expires in ${facts.expiresMinutes} min${remembered(facts, isWhole)}`;
  const buttons = buttonsOf(facts, isWhole);
  const shows = { type: "card", card: "approval", head, asks: head } as const;
  return { lane: "approval", markdown, footer, tone: "plain", buttons, files, shows };
}

/**
 * A card that lists each call in a line, as many as fit, and has the full contents in a file; or, if files are missing,
 * as much of these contents as fits.
 */
function attachedCard(facts: CardFacts, missing: string | null): OutgoingMessage {
  const { calls, maxChars } = facts;
  const text = calls.map(attachedCall).join(`\n\n${"─".repeat(40)}\n\n`);
  const head = headOf(facts);
  if (missing !== null) {
    const shown = cut(text, maxChars - FRAME_CHARS - missing.length);
    const markdown = [`⏸ ${head}`, codeBlock(shown, ""), ...(shown === text ? [] : [missing])].join("\n");
    return messageOf(facts, { head, markdown, files: [], isWhole: false });
  }
  const room = maxChars - FRAME_CHARS;
  const lineChars = Math.min(LINE_CHARS, Math.max(MIN_CHARS, Math.floor(room / calls.length) - NUMBER_CHARS));
  const most = Math.max(1, Math.floor(room / (lineChars + NUMBER_CHARS)));
  const listed = calls
    .slice(0, most)
    .map(({ preview }, index) => `${index + 1}. ${escapeMarkdown(plainLine(preview.question, lineChars))}`);
  const more = calls.length > most ? [`… and ${calls.length - most} more`] : [];
  const lines = [`⏸ ${head}`, "", ...listed, ...more, "", "Everything is attached: `calls.txt`."];
  const file = { name: "calls.txt", mediaType: "text/plain", data: new TextEncoder().encode(text) };
  return messageOf(facts, { head, markdown: lines.join("\n"), files: [file], isWhole: false });
}

function attachedCall({ preview, why }: CardCall, index: number): string {
  const { question, text, facts = [], reach } = preview;
  const notes = [why ?? "", ...facts, reach].filter((note) => note !== "").map(visibleText);
  return [`${index + 1}. ${visibleText(question)}`, ...notes, "", visibleText(text)].join("\n");
}

function headOf(facts: CardFacts): string {
  const { length } = facts.calls;
  const what = length === 1 ? "A call needs a decision" : `${length} calls need a decision`;
  return headed(what, facts);
}

function headed(what: string, facts: CardFacts): string {
  return `**${named(what)}**   ${asked(facts)}`;
}

/** Who asked, whose words came in, and for which sub-agent. */
function asked({ requester, others, origins = [], agent }: CardFacts): string {
  const foreign = origins.length === 0 ? [] : [`content from ${origins.map(named).join(", ")}`];
  const words = others.length === 0 ? [] : [`words from ${names(others)}`];
  const came = [...words, ...foreign].join(" and ");
  const whose = agent === null ? "" : `, for sub-agent ${named(agent)}`;
  return plainLine(`asked by ${names([requester])}${came === "" ? "" : `, with ${came}`}${whose}`, LINE_CHARS);
}

function shownCall(
  { preview, why }: CardCall,
  { number, room, attaches }: { number: number | null; room: number; attaches: boolean },
): { text: string; file: OutgoingFile | null } {
  const text = visibleText(preview.text);
  const lines = text.split("\n");
  const shown = attaches ? lines.slice(0, SHOWN_LINES).join("\n") : text;
  const isWhole = shown === text && text.length <= room;
  const head = number === null ? [] : [`**${number}. ${named(preview.question)}**`];
  const below = [
    ...(isWhole || !attaches ? [] : [`The rest is attached: \`${fileName(preview, number)}\`.`]),
    ...(why === null ? [] : [line(why)]),
    ...(preview.facts ?? []).map(named),
    ...(preview.reach === "" ? [] : [line(preview.reach)]),
  ];
  const fitting = isWhole ? text : `${shown.slice(0, room).toWellFormed()}\n…`;
  const data = new TextEncoder().encode(text);
  return {
    text: [...head, codeBlock(fitting, preview.language), ...below].join("\n"),
    file: isWhole ? null : { name: fileName(preview, number), mediaType: "text/plain", data },
  };
}

const EXTENSIONS: Readonly<Record<string, string>> = { sh: "sh", diff: "diff", json: "json", js: "js" };

function fileName({ language }: CallPreview, number: number | null): string {
  return `call${number === null ? "" : `-${number}`}.${EXTENSIONS[language] ?? "txt"}`;
}

function line(text: string): string {
  return plainLine(text, LINE_CHARS);
}

/** A line with a name or a path that a model or another person has chosen. */
function named(text: string): string {
  return escapeMarkdown(line(text));
}

function remembered({ calls, mayRemember }: CardFacts, isWhole: boolean): string {
  if (!mayRemember || !isWhole) return "";
  const labels = [...new Set(calls.map(({ label }) => named(label)))];
  return ` · session and always remember: ${labels.join(", ")}`;
}

function buttonsOf({ approvalId, calls, mayRemember }: CardFacts, isWhole: boolean): Button[] {
  const own = calls.length === 1 ? calls[0]?.preview.answers : undefined;
  const { allow, deny } = own ?? { allow: "Allow once", deny: "Deny" };
  const once: Button[] = [
    { id: `approve:y:${approvalId}`, label: allow, style: "primary" },
    { id: `approve:n:${approvalId}`, label: deny, style: own === undefined ? "danger" : "default" },
  ];
  if (!mayRemember || !isWhole) return once;
  return [
    ...once,
    { id: `approve:a:${approvalId}`, label: "Allow for this session", style: "default" },
    { id: `approve:A:${approvalId}`, label: "Always allow", style: "default" },
  ];
}

function names(people: readonly Author[]): string {
  return people.map(({ name }) => `@${named(name)}`).join(", ");
}

/** Maximum number of calls that the line about a decision names. */
const MAX_TITLES = 10;

/** The line that replaces the card once it is decided. */
export function decidedCard(row: ApprovalRow, expiresMinutes: number): OutgoingMessage {
  const buttons: Button[] =
    row.status === "expired" ? [{ id: `ask-again:${row.id}`, label: "Ask again", style: "default" }] : [];
  const markdown = `${decisionText(row, expiresMinutes)}${titlesOf(row)}`;
  return { lane: "approval", markdown, tone: "plain", buttons, files: [] };
}

/** Replaces a card that the platform refuses in any form. */
export function refusedCard(row: Pick<ApprovalRow, "calls">): OutgoingMessage {
  const markdown = `✗ I couldn't post the card that asks for a decision, so I left it out${titlesOf(row)}`;
  return { lane: "answer", markdown, tone: "error", buttons: [], files: [] };
}

function titlesOf({ calls }: Pick<ApprovalRow, "calls">): string {
  const titles = calls.filter(({ refused }) => refused === undefined).map(({ title }) => title);
  const more = titles.length > MAX_TITLES ? ` and ${titles.length - MAX_TITLES} more` : "";
  return titles.length === 0 ? "" : `: ${titles.slice(0, MAX_TITLES).join(", ")}${more}`;
}

const SCOPES = { once: "Allowed", session: "Allowed for this session", always: "Always allowed here" } as const;

/** The decision in a few words. */
export function decisionText({ status, scope, decidedBy }: ApprovalRow, expiresMinutes: number): string {
  const by = decidedBy === null ? "" : ` by ${named(decidedBy)}`;
  switch (status) {
    case "allowed":
      return `✓ ${SCOPES[scope ?? "once"]}${by}`;
    case "denied":
      return `✗ Denied${by}`;
    case "expired":
      return `⚠ Nobody decided within ${expiresMinutes} min; I left it out`;
    case "withdrawn":
      return `⏹ Stopped${by}; not run`;
    default:
      return "⏸ Not decided yet";
  }
}

/**
 * What a grant covers. A label that only points at its subject (`this command`) is followed by it, which the key holds
 * after the tool's name.
 */
export function grantSubject({ key, label }: GrantRow): string {
  const what = escapeMarkdown(plainLine(label, WHAT_CHARS));
  const own = unboundKey(key);
  return /\bthis\b/u.test(label) ? `${what} ${inlineCode(own.slice(own.indexOf(":") + 1), WHAT_CHARS)}` : what;
}
