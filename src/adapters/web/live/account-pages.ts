import type { Clock } from "../../../core/protocol/runtime.ts";
import type { FeedListener } from "../../render/local/feed-pages.ts";
import type { LocalChannel } from "../../render/local/local-channel.ts";
import type { Logins, SignedIn } from "../server/logins.ts";
import { ONLY_READS } from "../server/plain-page.ts";
import type { ClientFrame } from "../wire.ts";

/** How often open pages of accounts are looked at: one whose session has ended elsewhere hears no more. Milliseconds. */
const LOOK_MS = 15_000;
/** Closes a page that nobody is signed in to any more; its own number among those for applications (RFC 6455, 7.4.2). */
const SIGNED_OUT = 4401;

/** What a frame may do. `refused` says why not, in words; `gone`: nobody is signed in any more. */
export type Admission =
  | { readonly type: "as"; readonly place: LocalChannel }
  | { readonly type: "refused"; readonly reason: string }
  | { readonly type: "gone" };

export type Admit = (frame: ClientFrame) => Promise<Admission>;

/** Open pages of those who have signed in. */
export interface AccountPages {
  /** Looks up anew, for each frame, who is signed in and what they may do: what the page shows or hides decides nothing. */
  admit(token: string): Admit;
  join(token: string, page: FeedListener): void;
  leave(token: string, page: FeedListener): void;
  /** Closes what a session has open. */
  close(token: string): void;
  /** Closes what is open of sessions that have ended elsewhere. */
  look(): void;
}

export function createAccountPages(
  logins: () => Pick<Logins, "signedIn"> | null,
  place: LocalChannel,
  clock: Pick<Clock, "after">,
): AccountPages {
  const open = new Map<string, Set<FeedListener>>();
  let stopLooking: (() => void) | null = null;

  const account = async (token: string, isUse: boolean): Promise<SignedIn | null> =>
    (await logins()?.signedIn(token, isUse)) ?? null;
  const close = (token: string): void => {
    const pages = open.get(token) ?? [];
    open.delete(token);
    for (const page of pages) page.close(SIGNED_OUT, "signed out");
  };
  const look = async (): Promise<void> => {
    for (const token of open.keys()) {
      // A database that is away signs nobody out: the next look is soon.
      const isGone = await account(token, false).then(
        (found) => found === null,
        () => false,
      );
      if (isGone) close(token);
    }
    plan();
  };
  const plan = (): void => {
    stopLooking?.();
    stopLooking = open.size === 0 ? null : clock.after(LOOK_MS, () => void look());
  };

  return {
    close,
    look: () => void look(),
    admit: (token) => async (frame) => {
      const found = await account(token, isByPerson(frame));
      if (found === null) return { type: "gone" };
      if (found.role === "viewer" && changes(frame)) return { type: "refused", reason: ONLY_READS };
      return { type: "as", place: { ...place, person: found.person } };
    },
    join: (token, page) => {
      open.set(token, (open.get(token) ?? new Set()).add(page));
      if (stopLooking === null) plan();
    },
    leave: (token, page) => {
      const pages = open.get(token);
      pages?.delete(page);
      if (pages?.size === 0) open.delete(token);
      if (open.size === 0) plan();
    },
  };
}

/** What the page asks of itself is no sign that somebody is there. */
function isByPerson({ type }: ClientFrame): boolean {
  return type !== "hello" && type !== "look" && type !== "watch";
}

function changes({ type }: ClientFrame): boolean {
  return type !== "hello" && type !== "look" && type !== "watch" && type !== "open";
}
