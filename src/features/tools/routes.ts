import { type FeatureRoute, getRoute, type TeamTools } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { shownTools, type ToolsHost, toolDetails } from "./shown-tools.ts";

/** Routes of tools, for anyone who may read the page. */
export function toolRoutes(host: ToolsHost & Pick<FeatureHost, "hideIn" | "toolProblems">): readonly FeatureRoute[] {
  const { hideIn, toolProblems } = host;
  return [
    getRoute("/list", async () => {
      const body: TeamTools = { rows: shownTools(host), problems: toolProblems() };
      return { status: 200, body: hideIn(body) };
    }),
    getRoute("/tool", async ({ query }) => {
      const details = toolDetails(query.get("name") ?? "", host);
      if (details === null) return { status: 404, body: { error: "There is no tool with that name." } };
      return { status: 200, body: hideIn({ ...details }) };
    }),
  ];
}
