import { z } from "zod";
import type { Identity } from "../web.ts";

const idSchema = z.string().nullish().catch(null);
const teamsSchema = z.object({
  api_app_id: idSchema,
  team_id: idSchema,
  enterprise_id: idSchema,
  team: z.object({ id: idSchema }).nullish().catch(null),
  enterprise: z.object({ id: idSchema }).nullish().catch(null),
  /** The installations that an event is for. In a shared channel, the event itself may come from another team. */
  authorizations: z
    .array(z.object({ team_id: idSchema, enterprise_id: idSchema }))
    .nullish()
    .catch(null),
});

/** Whether a request is for this app and from its team or enterprise. A request that names no team is accepted. */
export function isForThisApp(payload: unknown, { teamId, enterpriseId, appId }: Identity) {
  const read = teamsSchema.safeParse(payload);
  if (!read.success) return true;
  const { api_app_id, team_id, enterprise_id, team, enterprise, authorizations } = read.data;
  if (appId !== null && typeof api_app_id === "string" && api_app_id !== appId) return false;
  const given = authorizations ?? [];
  const teams = [team_id, team?.id, ...given.map((each) => each.team_id)].filter((id) => typeof id === "string");
  const enterprises = [enterprise_id, enterprise?.id, ...given.map((each) => each.enterprise_id)];
  if (teams.length === 0 || teams.includes(teamId)) return true;
  return enterpriseId !== undefined && enterprises.includes(enterpriseId);
}
