import { type Plan, planSchema } from "../../protocol/plan.ts";
import type { Client } from "../database/client.ts";

export function planReads(db: Client) {
  const stored = (id: string) =>
    db.session.findUniqueOrThrow({ where: { id }, select: { plan: true, parentId: true } });

  return {
    /** The session's plan; a sub-agent is bound to plan mode where the one it works for is. */
    async of(sessionId: string): Promise<Plan | null> {
      const own = await stored(sessionId);
      const plan = own.plan === null ? null : parse(own.plan);
      let { parentId } = own;
      while (parentId !== null) {
        const parent = await stored(parentId);
        if (parent.plan !== null && parse(parent.plan).phase === "planning") return { phase: "planning" };
        parentId = parent.parentId;
      }
      return plan;
    },
  };
}

export function planWrites(db: Client) {
  return {
    ...planReads(db),

    /** Nothing may be changed from now on; a plan that was carried out is left behind. */
    async begin(sessionId: string): Promise<void> {
      await db.session.update({ where: { id: sessionId }, data: { plan: JSON.stringify(PLANNING) } });
    },

    async set(sessionId: string, plan: Plan | null): Promise<void> {
      const json = plan === null ? null : JSON.stringify(plan);
      await db.session.update({ where: { id: sessionId }, data: { plan: json } });
    },
  };
}

const PLANNING: Plan = { phase: "planning" };

function parse(json: string): Plan {
  return planSchema.parse(JSON.parse(json));
}
