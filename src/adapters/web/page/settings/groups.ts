import type { ShownSetting } from "../../sessions/team-settings.ts";

interface Group {
  readonly title: string;
  readonly settings: readonly ShownSetting[];
}

/** Settings that shape the answers, which come first. */
const ANSWERS = "Models and answers";
/** Groups of keys, in the order shown; all other keys follow them. */
const GROUPS: readonly { readonly title: string; readonly keys: readonly string[] }[] = [
  { title: "People and approvals", keys: ["access", "approvals"] },
  { title: "Spending and limits", keys: ["budgets", "maxBudgetUsd", "quotas", "maxConcurrentRuns"] },
  { title: "Channels and agents", keys: ["channels", "agents", "agentDefinition", "fastModel", "managedAgents"] },
  { title: "Network and files", keys: ["allowedHosts", "blockedUrls", "guardedFiles", "instructions", "confinement"] },
];
const OTHERS = "Everything else";

/** Groups the settings. Ungrouped ones at the root, except records and switches, count as shaping the answers. */
export function groupsOf(settings: readonly ShownSetting[]): Group[] {
  const titleOf = ({ path: [key = "", ...rest], control }: ShownSetting): string => {
    const named = GROUPS.find(({ keys }) => keys.includes(key));
    if (named !== undefined) return named.title;
    const isPlain = rest.length === 0 && control.type !== "record" && control.type !== "switch";
    return isPlain && key !== "inputs" ? ANSWERS : OTHERS;
  };
  return [ANSWERS, ...GROUPS.map(({ title }) => title), OTHERS].flatMap((title) => {
    const own = settings.filter((setting) => titleOf(setting) === title);
    return own.length === 0 ? [] : [{ title, settings: own }];
  });
}
