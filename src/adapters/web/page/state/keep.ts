import type { PageFile } from "../../../render/local/wire.ts";
import type { PendingMessage } from "./state.ts";

/** What survives a reload of the page: drafts and messages that the server has not confirmed. */

const DRAFT = "deckhand.draft.";
/** Beside the draft that they are for. */
const DRAFT_FILES = `${DRAFT}files.`;
const SENDING = "deckhand.sending";

const OWNER = "deckhand.owner";

/** Whether what is kept was another person's; it is forgotten then. */
export function keepFor(personId: string): boolean {
  const before = read(OWNER);
  write(OWNER, personId);
  if (before === null || before === personId) return false;
  forgetKept();
  return true;
}

/** What one person has begun to write is not for the next one at this browser. */
export function forgetKept(): void {
  for (const key of keys()) if (key.startsWith(DRAFT) || key === SENDING) write(key, null);
}

export function readDraft(threadId: string | null): string {
  return read(DRAFT + (threadId ?? "new")) ?? "";
}

export function keepDraft(threadId: string | null, text: string): void {
  write(DRAFT + (threadId ?? "new"), text === "" ? null : text);
}

export function readDraftFiles(threadId: string | null): PageFile[] {
  return readList(DRAFT_FILES + (threadId ?? "new")).filter(isFile);
}

export function keepDraftFiles(threadId: string | null, files: readonly PageFile[]): void {
  write(DRAFT_FILES + (threadId ?? "new"), files.length === 0 ? null : JSON.stringify(files));
}

/** What was begun in a thread that is gone is for a new one, unless something is begun there already. */
export function moveDraft(threadId: string): void {
  const draft = readDraft(threadId);
  if (readDraft(null) === "") {
    keepDraft(null, draft);
    keepDraftFiles(null, readDraftFiles(threadId));
  }
  keepDraft(threadId, "");
  keepDraftFiles(threadId, []);
}

export function readSending(): PendingMessage[] {
  return readList(SENDING).filter(isSending);
}

function readList(key: string): unknown[] {
  try {
    const kept: unknown = JSON.parse(read(key) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return []; // Not ours, or of another version: it cannot be sent.
  }
}

function isFile(value: unknown): value is PageFile {
  return typeof value === "object" && value !== null && "id" in value && typeof value.id === "string";
}

export function keepSending(sending: readonly PendingMessage[]): void {
  write(SENDING, sending.length === 0 ? null : JSON.stringify(sending));
}

function isSending(value: unknown): value is PendingMessage {
  return (
    typeof value === "object" &&
    value !== null &&
    "clientId" in value &&
    typeof value.clientId === "string" &&
    "threadId" in value &&
    typeof value.threadId === "string" &&
    "text" in value &&
    typeof value.text === "string" &&
    "files" in value &&
    Array.isArray(value.files)
  );
}

function keys(): string[] {
  try {
    return Object.keys(localStorage);
  } catch {
    return [];
  }
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // Storage is switched off: the page works without.
  }
}

function write(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    return; // Storage is full or switched off: the page works without.
  }
}
