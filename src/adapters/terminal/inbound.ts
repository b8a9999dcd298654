import { type LocalChannel, operatorOn } from "../render/local/local-channel.ts";
import { TERMINAL } from "./descriptor.ts";

/**
 * The channel shared by all terminals. Whoever can read the home directory can open the page as well, so settings for
 * the page's operator (`web:local`) apply to the terminal's.
 */
export const TERMINAL_PLACE: LocalChannel = {
  platform: TERMINAL,
  channel: { id: "main", name: "terminal", kind: "dm" },
  person: operatorOn(TERMINAL, ["web:local"]),
};
