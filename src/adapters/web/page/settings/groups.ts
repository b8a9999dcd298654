import type { ShownSetting } from "../../sessions/team-settings.ts";

interface Group {
  readonly title: string;
  readonly settings: readonly ShownSetting[];
}

/** Groups of keys, in the order shown; all other keys follow them. */
const GROUPS: readonly { readonly title: string; readonly keys: readonly string[] }[] = [
  { title: "Models and answers", keys: [] },
  { title: "People and approvals", keys: ["access", "approvals"] },
  { title: "Spending and limits", keys: ["budgets", "maxBudgetUsd", "quotas", "maxConcurrentRuns"] },
  { title: "Channels and agents", keys: ["channels", "agents", "agentDefinition", "fastModel", "managedAgents"] },
  { title: "Network and files", keys: ["allowedHosts", "blockedUrls", "guardedFiles", "instructions", "confinement"] },
];
const [ANSWERS = { title: "Answers" }] = GROUPS;
const OTHERS = "Everything else";

/** Groups the settings. Ungrouped ones at the root, except records and switches, count as shaping the answers. */
export function groupsOf(settings: readonly ShownSetting[]): Group[] {
  const titleOf = ({ path: [key = "", ...rest], control }: ShownSetting): string => {
    const named = GROUPS.find(({ keys }) => keys.includes(key));
    if (named !== undefined) return named.title;
    return rest.length === 0 && control.type !== "record" && control.type !== "switch" && !isLeftAlone(key)
      ? ANSWERS.title
      : OTHERS;
  };
  return [...GROUPS.map(({ title }) => title), OTHERS].flatMap((title) => {
    const own = settings.filter((setting) => titleOf(setting) === title);
    return own.length === 0 ? [] : [{ title, settings: own }];
  });
}

function isLeftAlone(key: string): boolean {
  return ["inputs"].includes(key);
}
