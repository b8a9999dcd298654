import { z } from "zod";
import type { GatewaySessions } from "../../cluster.ts";
import type { QueryConnection } from "./cluster-connection.ts";

const KEEP = `INSERT INTO deckhand_cluster.gateway_session (role, session)
  SELECT $1, $2::jsonb WHERE EXISTS (
    SELECT FROM deckhand_cluster.role JOIN deckhand_cluster.replica AS holder ON holder.id = role.replica
    WHERE role.name = $1 AND holder.id = $3
  )
  ON CONFLICT (role) DO UPDATE SET session = excluded.session`;

const OF = "SELECT session FROM deckhand_cluster.gateway_session WHERE role = $1";

const keptSchema = z.array(z.object({ session: z.unknown() }));

/** Gateway sessions, as the process with this id reads and writes them. */
export function gatewaySessions(id: string, { query }: QueryConnection): GatewaySessions {
  return {
    async of(role) {
      const [kept] = keptSchema.parse(await query(OF, [role]));
      return kept?.session ?? null;
    },
    async keep(role, session) {
      await query(KEEP, [role, JSON.stringify(session), id]);
    },
  };
}
