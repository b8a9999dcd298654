import { type LocalChannel, operatorOn } from "../render/local/local-channel.ts";
import { TERMINAL } from "./descriptor.ts";

/**
 * All terminals are in one channel. Whoever may read the home may open the page, too: settings that name the page's
 * operator (`web:local`) name the terminal's.
 */
export const TERMINAL_PLACE: LocalChannel = {
  platform: TERMINAL,
  channel: { id: "main", name: "terminal", kind: "dm" },
  person: operatorOn(TERMINAL, ["web:local"]),
};
