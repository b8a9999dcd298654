import type { Clock } from "../../../core/protocol/runtime.ts";
import type { FeedListener } from "../../render/local/feed-pages.ts";
import type { LocalChannel } from "../../render/local/local-channel.ts";
import type { Logins, SignedIn } from "../server/logins.ts";
import { ONLY_READS } from "../server/plain-page.ts";
import type { ClientFrame } from "../wire.ts";

/** Interval at which open pages are checked for login sessions that ended elsewhere, in milliseconds. */
const LOOK_MS = 15_000;
/** Close code for a page whose login session has ended, from the private range of RFC 6455, section 7.4.2. */
const SIGNED_OUT = 4401;

/** Whether a frame is allowed. `refused` gives the reason in words; `gone` means that the login session has ended. */
export type Admission =
  | { readonly type: "as"; readonly place: LocalChannel }
  | { readonly type: "refused"; readonly reason: string }
  | { readonly type: "gone" };

export type Admit = (frame: ClientFrame) => Promise<Admission>;

/** The open pages of signed-in people. */
export interface AccountPages {
  /**
   * Checks the account and its role anew for each frame, because what the page shows or hides is no protection. Calls
   * `tell` first, and again when the role has changed.
   */
  admit(token: string, known: SignedIn, tell: (account: SignedIn) => void): Admit;
  join(token: string, page: FeedListener): void;
  leave(token: string, page: FeedListener): void;
  /** Closes all open pages of a login session. */
  close(token: string): void;
  /** Closes the pages of login sessions that have ended elsewhere. */
  recheck(): void;
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
      // An unreachable database must not sign people out; the next check follows soon.
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
    recheck: () => void look(),
    admit: (token, known, tell) => {
      let { role } = known;
      tell(known);
      return async (frame) => {
        const found = await account(token, isByPerson(frame));
        if (found === null) return { type: "gone" };
        if (found.role !== role) tell(found);
        ({ role } = found);
        if (role === "viewer" && changes(frame)) return { type: "refused", reason: ONLY_READS };
        return { type: "as", place: { ...place, person: found.person } };
      };
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

/** Whether a person caused the frame; frames that the page sends by itself do not count as activity. */
function isByPerson({ type }: ClientFrame): boolean {
  return type !== "hello" && type !== "look" && type !== "watch";
}

function changes({ type }: ClientFrame): boolean {
  return type !== "hello" && type !== "look" && type !== "watch" && type !== "open";
}
