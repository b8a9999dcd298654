import type { PageMessage } from "../../render/local/wire.ts";
import type { ServerFrame } from "../wire.ts";

/** Removes notes addressed to other people from a frame; null if nothing is left. */
export function visibleTo(personId: string, frame: ServerFrame): ServerFrame | null {
  const isTheirs = ({ body }: PageMessage): boolean => body.to === undefined || body.to === personId;
  switch (frame.type) {
    case "message":
      return isTheirs(frame.message) ? frame : null;
    case "thread":
      return { ...frame, messages: frame.messages?.filter(isTheirs) ?? null };
    case "welcome":
      return { ...frame, changes: frame.changes?.filter(isTheirs) ?? null };
    default:
      return frame;
  }
}
