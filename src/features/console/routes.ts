import { type FeatureRequest, get, type OpenFeature, post } from "../../feature.ts";
import type { ConsoleRoute } from "./answers.ts";
import type { Sessions } from "./sessions.ts";

/** Routes for what the page asks about jobs, the current state and costs. */
export function consoleRoutes(load: () => Promise<Sessions>): NonNullable<OpenFeature["routes"]> {
  const on = (path: ConsoleRoute) => async (request: FeatureRequest) => (await load()).answer(path, request);
  return [
    get("/overview", async ({ viewer }) => ({ status: 200, body: await (await load()).overview(viewer) })),
    get("/usage", on("/usage")),
    post("/command", on("/command")),
    get("/jobs", on("/jobs")),
    get("/jobs/one", on("/jobs/one")),
    get("/jobs/when", on("/jobs/when")),
    post("/jobs/command", on("/jobs/command")),
  ];
}
