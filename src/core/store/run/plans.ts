import { type Plan, planSchema } from "../../protocol/plan.ts";
import type { Client } from "../database/client.ts";

export function planReads(db: Client) {
  const stored = async (id: string) => {
    const { plan, parentId } = await db.session.findUniqueOrThrow({
      where: { id },
      select: { plan: true, parentId: true },
    });
    return { plan: plan === null ? null : planSchema.parse(JSON.parse(plan)), parentId };
  };

  return {
    /** The session's plan, or that of the nearest ancestor in plan mode, which binds its sub-agents too. */
    async of(sessionId: string): Promise<Plan | null> {
      const own = await stored(sessionId);
      for (let { parentId } = own; parentId !== null; ) {
        const parent = await stored(parentId);
        if (parent.plan?.phase === "planning") return parent.plan;
        ({ parentId } = parent);
      }
      return own.plan;
    },
  };
}

export function planWrites(db: Client) {
  const set = async (sessionId: string, plan: Plan | null): Promise<void> => {
    const json = plan === null ? null : JSON.stringify(plan);
    await db.session.update({ where: { id: sessionId }, data: { plan: json } });
  };

  return {
    ...planReads(db),
    set,

    /** Enters plan mode, in which nothing may be changed. A plan already carried out is dropped. */
    begin: (sessionId: string) => set(sessionId, { phase: "planning" }),
  };
}
