import type { PageFile } from "../../../render/local/wire.ts";
import { newId } from "./new-id.ts";
import type { PendingMessage, Upload } from "./state.ts";

/** Local storage for what survives a reload: drafts and messages that the server has not confirmed. */

const DRAFT = "deckhand.draft.";
/** Files of a draft, stored beside its text. */
const DRAFT_FILES = `${DRAFT}files.`;
/** One key per message, so that each window adds and removes only its own. */
const SENDING = "deckhand.sending.";
/** Names the draft of a new thread. */
const NEW = "new";

const OWNER = "deckhand.owner";

/** Records the owner of the kept data. Returns true if it was another person's, after forgetting it. */
export function claimStorageFor(personId: string): boolean {
  const before = read(OWNER);
  write(OWNER, personId);
  if (before === null || before === personId) return false;
  clearStorage();
  return true;
}

/** Forgets drafts and unsent messages, which the next person at this browser must not see. */
export function clearStorage(): void {
  for (const key of keys()) if (key.startsWith(DRAFT) || key.startsWith(SENDING)) write(key, null);
}

export function readDraft(threadId: string | null): string {
  return read(DRAFT + (threadId ?? NEW)) ?? "";
}

export function storeDraft(threadId: string | null, text: string): void {
  write(DRAFT + (threadId ?? NEW), text === "" ? null : text);
}

/** The files of all drafts. */
export function readDraftFiles(): Upload[] {
  return keys().flatMap((key) => {
    const kept = key.startsWith(DRAFT_FILES) ? parsed(key) : null;
    const id = key.slice(DRAFT_FILES.length);
    const threadId = id === NEW ? null : id;
    const files = Array.isArray(kept) ? kept.filter(isFile) : [];
    return files.map((file) => ({ key: newId(), threadId, name: file.name, file }));
  });
}

/** Stores the files of the drafts that have changed, except those that are still uploading. */
export function storeDraftFiles(before: readonly Upload[], uploads: readonly Upload[]): void {
  const removed = before.filter((upload) => !uploads.includes(upload));
  const added = uploads.filter((upload) => !before.includes(upload));
  for (const threadId of new Set([...removed, ...added].map((upload) => upload.threadId))) {
    const files = uploads.flatMap((upload) => (upload.threadId === threadId ? (upload.file ?? []) : []));
    write(DRAFT_FILES + (threadId ?? NEW), files.length === 0 ? null : JSON.stringify(files));
  }
}

/** Appends unsent messages of a deleted thread, and the text of its draft, to the draft of a new one. */
export function moveDraft(threadId: string, unsent: readonly string[]): void {
  const texts = [readDraft(null), ...unsent, readDraft(threadId)].filter((text) => text !== "");
  storeDraft(null, texts.join("\n\n"));
  storeDraft(threadId, "");
}

export function readPendingMessages(): PendingMessage[] {
  const kept = keys().filter((key) => key.startsWith(SENDING));
  return kept
    .map(parsed)
    .filter(isPendingMessage)
    .toSorted((a, b) => a.at - b.at);
}

/** Stores the changes to this window's unsent messages. */
export function storePendingMessages(before: readonly PendingMessage[], sending: readonly PendingMessage[]): void {
  for (const message of before) if (!sending.includes(message)) write(SENDING + message.clientId, null);
  for (const message of sending) {
    if (!before.includes(message)) write(SENDING + message.clientId, JSON.stringify(message));
  }
}

function parsed(key: string): unknown {
  try {
    return JSON.parse(read(key) ?? "null");
  } catch {
    return null; // Not written by this page, or by another version of it.
  }
}

function isFile(value: unknown): value is PageFile {
  return typeof value === "object" && value !== null && "id" in value && typeof value.id === "string";
}

function isPendingMessage(value: unknown): value is PendingMessage {
  if (typeof value !== "object" || value === null) return false;
  const { clientId, threadId, at, text, files }: Partial<Record<keyof PendingMessage, unknown>> = value;
  return (
    [clientId, threadId, text].every((one) => typeof one === "string") && Number.isFinite(at) && Array.isArray(files)
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
