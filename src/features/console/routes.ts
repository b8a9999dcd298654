import { type FeatureRequest, getRoute, type OpenFeature, postRoute } from "../../feature.ts";
import type { ConsoleRoute } from "./answers.ts";
import type { Sessions } from "./sessions.ts";

/** Routes for what the page asks about jobs, the current state and costs. */
export function consoleRoutes(load: () => Promise<Sessions>): NonNullable<OpenFeature["routes"]> {
  const on = (path: ConsoleRoute) => async (request: FeatureRequest) => (await load()).answer(path, request);
  return [
    getRoute("/overview", on("/overview")),
    getRoute("/usage", on("/usage")),
    postRoute("/command", on("/command")),
    getRoute("/jobs", on("/jobs")),
    getRoute("/jobs/one", on("/jobs/one")),
    getRoute("/jobs/when", on("/jobs/when")),
    postRoute("/jobs/command", on("/jobs/command")),
  ];
}
