import type { FunctionComponent } from "preact";
import type { PageState } from "../state/state.ts";
import type { SectionProps } from "./section-props.ts";

/** A part of the page about the running program; its code is in a sibling folder and loads when it is opened. */
export interface Section {
  /** In the address: `#/audit`. */
  readonly name: string;
  readonly title: string;
  /** Hides the section from non-admins; its routes check the permission themselves. */
  readonly isForAdmins?: true;
  readonly load: () => Promise<FunctionComponent<SectionProps>>;
}

/** All sections, in the order shown. */
export const SECTIONS: readonly Section[] = [
  { name: "overview", title: "Overview", load: async () => (await import("../overview/overview.tsx")).Overview },
  { name: "usage", title: "Usage", load: async () => (await import("../usage/usage.tsx")).Usage },
  { name: "jobs", title: "All jobs", load: async () => (await import("../jobs/jobs.tsx")).Jobs },
  { name: "tools", title: "Tools", load: async () => (await import("../tools/tools.tsx")).Tools },
  { name: "mcp", title: "MCP servers", load: async () => (await import("../mcp/mcp.tsx")).McpServers },
  { name: "memory", title: "Memory", load: async () => (await import("../memory/memory.tsx")).Memory },
  { name: "agents", title: "Agents", load: async () => (await import("../definitions/definition-page.tsx")).Agents },
  { name: "skills", title: "Skills", load: async () => (await import("../definitions/definition-page.tsx")).Skills },
  {
    name: "instructions",
    title: "Instructions",
    load: async () => (await import("../definitions/instructions.tsx")).Instructions,
  },
  { name: "providers", title: "Providers", load: async () => (await import("../providers/providers.tsx")).Providers },
  { name: "settings", title: "Settings", load: async () => (await import("../settings/settings.tsx")).Settings },
  { name: "replicas", title: "Processes", load: async () => (await import("../replicas/replicas.tsx")).Replicas },
  {
    name: "audit",
    title: "Audit log",
    isForAdmins: true,
    load: async () => (await import("../audit/audit.tsx")).Audit,
  },
];

/** The holder of the local page key counts as an admin, but nobody does before the server's welcome. */
export function maySee({ isForAdmins }: Section, { you, lastSeq }: Pick<PageState, "you" | "lastSeq">): boolean {
  return isForAdmins !== true || (you === null ? lastSeq !== null : you.role === "admin");
}
