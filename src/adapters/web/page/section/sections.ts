import type { FunctionComponent } from "preact";
import type { PageState } from "../state/state.ts";
import type { SectionProps } from "./section-props.ts";

/** A part of the page about how the program runs; a folder beside this one holds it, and is loaded when it is opened. */
export interface Section {
  /** In the address: `#/audit`. */
  readonly name: string;
  readonly title: string;
  /** Others do not see it; routes check it for themselves. */
  readonly isForAdmins?: true;
  readonly load: () => Promise<FunctionComponent<SectionProps>>;
}

/** In this order. */
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

/** Whoever holds the page's key on this machine is as an admin; nobody is before the server has said who they are. */
export function maySee({ isForAdmins }: Section, { you, lastSeq }: Pick<PageState, "you" | "lastSeq">): boolean {
  return isForAdmins !== true || (you === null ? lastSeq !== null : you.role === "admin");
}
