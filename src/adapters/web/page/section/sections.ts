import type { FunctionComponent } from "preact";
import type { AccountRole } from "../../server/logins.ts";
import type { You } from "../state/state.ts";
import type { SectionProps } from "./section-props.ts";

/** A part of the page about how the program runs; a folder beside this one holds it, and is loaded when it is opened. */
export interface Section {
  /** In the address: `#/audit`. */
  readonly name: string;
  readonly title: string;
  /** The least that an account must be to see it; routes check it for themselves. */
  readonly role: AccountRole;
  readonly load: () => Promise<FunctionComponent<SectionProps>>;
}

/** In this order. */
export const SECTIONS: readonly Section[] = [
  {
    name: "overview",
    title: "Overview",
    role: "viewer",
    load: async () => (await import("../overview/overview.tsx")).Overview,
  },
  { name: "usage", title: "Usage", role: "viewer", load: async () => (await import("../usage/usage.tsx")).Usage },
  { name: "jobs", title: "All jobs", role: "viewer", load: async () => (await import("../jobs/jobs.tsx")).Jobs },
  { name: "tools", title: "Tools", role: "viewer", load: async () => (await import("../tools/tools.tsx")).Tools },
  { name: "mcp", title: "MCP servers", role: "viewer", load: async () => (await import("../mcp/mcp.tsx")).McpServers },
  { name: "memory", title: "Memory", role: "viewer", load: async () => (await import("../memory/memory.tsx")).Memory },
  {
    name: "agents",
    title: "Agents",
    role: "viewer",
    load: async () => (await import("../definitions/definition-page.tsx")).Agents,
  },
  {
    name: "skills",
    title: "Skills",
    role: "viewer",
    load: async () => (await import("../definitions/definition-page.tsx")).Skills,
  },
  {
    name: "instructions",
    title: "Instructions",
    role: "viewer",
    load: async () => (await import("../definitions/instructions.tsx")).Instructions,
  },
  {
    name: "providers",
    title: "Providers",
    role: "viewer",
    load: async () => (await import("../providers/providers.tsx")).Providers,
  },
  {
    name: "settings",
    title: "Settings",
    role: "viewer",
    load: async () => (await import("../settings/settings.tsx")).Settings,
  },
  {
    name: "replicas",
    title: "Processes",
    role: "viewer",
    load: async () => (await import("../replicas/replicas.tsx")).Replicas,
  },
  { name: "audit", title: "Audit log", role: "admin", load: async () => (await import("../audit/audit.tsx")).Audit },
];

const RANKS: Readonly<Record<AccountRole, number>> = { viewer: 0, operator: 1, admin: 2 };

/** Whoever holds the page's key on this machine is as an admin; nobody is before the server has said who they are. */
export function isAtLeast(role: AccountRole, { you, lastSeq }: { you: You | null; lastSeq: number | null }): boolean {
  const mine = you?.role ?? (lastSeq === null ? "viewer" : "admin");
  return RANKS[mine] >= RANKS[role];
}
