import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { figure } from "../../../../core/text/dollars.ts";
import { MESSAGE_FILES } from "../../../render/local/frame-limits.ts";
import { WEB_LIMITS } from "../../limits.ts";
import type { Controller } from "../state/controller.ts";
import { readDraft, storeDraft } from "../state/local-storage.ts";
import { type PageState, sessionOf, type Upload } from "../state/state.ts";
import { ClipIcon, SendIcon } from "../text/icons.tsx";
import { PaletteList, paletteProps, usePalette } from "./palette.tsx";
import { filesOf, UploadList, type Uploads, useUploads } from "./uploads.tsx";

export const COMPOSER_ID = "composer";

const TOO_LONG = `This message is longer than ${figure(WEB_LIMITS.messageChars)} characters. Attach it as a file.`;
const TOO_MANY = `A message can have ${MESSAGE_FILES} files. Remove some.`;

interface ComposerProps {
  readonly state: PageState;
  readonly controller: Controller;
}

function Hint(): JSX.Element {
  return (
    <p class="composer-hint" id="composer-hint">
      <kbd>Enter</kbd> sends, <kbd>Shift</kbd> <kbd>Enter</kbd> starts a new line, <kbd>/</kbd> lists commands,{" "}
      <kbd>@</kbd> agents
    </p>
  );
}

/** A message being written. Mounted anew for each thread, so that each keeps its own draft. */
export function Composer({ state, controller }: ComposerProps): JSX.Element {
  const [text, setText] = useState(() => readDraft(state.openId));
  const { uploads, add, remove, clear } = useUploads(state, controller);
  const box = useAutoHeight(text);
  const isReady = canSend(text, uploads);
  const isDropping = useDrop(add);

  const write = (next: string): void => {
    setText(next);
    storeDraft(state.openId, next);
  };
  const palette = usePalette({ text, state, ask: controller.complete, write });
  const send = (): void => {
    if (!canSend(text, uploads)) return;
    const words = text.trim();
    // A frame that is too long would end the connection, and be resent after every reconnect.
    if (words.length > WEB_LIMITS.messageChars) return controller.notify(TOO_LONG);
    // The draft of a deleted thread may have joined another one.
    if (uploads.length > MESSAGE_FILES) return controller.notify(TOO_MANY);
    if (state.notice === TOO_LONG || state.notice === TOO_MANY) controller.notify(null);
    clear();
    controller.send(words, filesOf(uploads));
    write("");
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <UploadList uploads={uploads} remove={remove} />
      <PaletteList palette={palette} />
      <div class={isDropping ? "composer-box dropping" : "composer-box"}>
        <AttachButton add={add} />
        <textarea
          ref={box}
          id={COMPOSER_ID}
          rows={1}
          value={text}
          placeholder={isDropping ? "Drop the files to attach them" : placeholder(state)}
          aria-label="Message to Deckhand"
          aria-describedby="composer-hint"
          {...paletteProps(palette)}
          onInput={({ currentTarget }) => write(currentTarget.value)}
          onKeyDown={(event) => {
            const isForPalette = palette.onKey(event);
            if (!isForPalette && !sends(event)) return;
            event.preventDefault();
            if (!isForPalette) send();
          }}
          onPaste={({ clipboardData }) => add(pastedFiles(clipboardData), foldersIn(clipboardData))}
        />
        <button type="submit" class="send" aria-label="Send" aria-disabled={!isReady}>
          <SendIcon />
        </button>
      </div>
      <Hint />
    </form>
  );
}

/** Returns the names of folders, which the browser lists as files that cannot be read. */
function foldersIn(given: DataTransfer | null): string[] {
  return [...(given?.items ?? [])].flatMap((item) => {
    const entry = item.webkitGetAsEntry();
    return entry?.isDirectory === true ? entry.name : [];
  });
}

/** Returns pasted files, without the picture that a table or document adds to its copied text under a fixed name. */
function pastedFiles(pasted: DataTransfer | null): File[] {
  const isOfWords = pasted !== null && pasted.getData("text/plain") !== "";
  return [...(pasted?.files ?? [])].filter(({ name }) => !isOfWords || name !== "image.png");
}

function AttachButton({ add }: { readonly add: (files: readonly File[]) => void }): JSX.Element {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="icon-button" aria-label="Attach files" onClick={() => picker.current?.click()}>
        <ClipIcon />
      </button>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          add([...(currentTarget.files ?? [])]);
          currentTarget.value = "";
        }}
      />
    </>
  );
}

function placeholder(state: PageState): string {
  const isAsked = sessionOf(state)?.waiting.some(({ kind }) => kind === "question") === true;
  return isAsked ? "Answer here, or choose above" : "Ask Deckhand to do something";
}

function canSend(text: string, uploads: readonly Upload[]): boolean {
  const isUploading = uploads.some((upload) => upload.file === null);
  return !isUploading && (text.trim() !== "" || uploads.length > 0);
}

/** Whether Enter sends. On a touch screen it does not, because it is the only way to start a new line. */
function sends(event: KeyboardEvent): boolean {
  if (event.key !== "Enter" || event.isComposing) return false;
  if (event.ctrlKey || event.metaKey) return true;
  return !event.shiftKey && !event.altKey && !matchMedia("(pointer: coarse)").matches;
}

function useAutoHeight(text: string): { readonly current: HTMLTextAreaElement | null } {
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [text]);
  return box;
}

/**
 * Attaches files dropped anywhere on the page; the browser would otherwise leave the page to show them. Returns true
 * while files are dragged over it.
 */
function useDrop(add: Uploads["add"]): boolean {
  const [isDropping, setDropping] = useState(false);
  useEffect(() => {
    const drag = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes("Files") !== true) return;
      event.preventDefault();
      setDropping(event.type === "dragover");
      if (event.type === "drop") add([...event.dataTransfer.files], foldersIn(event.dataTransfer));
    };
    // Moving between two elements of the page does not leave it.
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setDropping(false);
    };
    addEventListener("dragover", drag);
    addEventListener("drop", drag);
    addEventListener("dragleave", leave);
    return () => {
      removeEventListener("dragover", drag);
      removeEventListener("drop", drag);
      removeEventListener("dragleave", leave);
    };
  }, [add]);
  return isDropping;
}
