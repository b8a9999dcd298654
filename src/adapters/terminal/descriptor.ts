import type { PlatformDescriptor } from "../../core/platform/descriptor.ts";
import { TERMINAL_LIMITS } from "./limits.ts";

export const TERMINAL: PlatformDescriptor = {
  name: "terminal",
  title: "the terminal",
  limits: TERMINAL_LIMITS,
  ids: { people: [{ id: /^local$/u, written: "local" }], channel: { id: /^\S+$/u, written: "<id>" } },
  isOwn: true,
  isDirect: () => true,
  hasThreads: () => true,
  slashName: (command) => command,
  link: () => null,
};
