import type { Cluster } from "../../src/core/cluster.ts";

type Work = Parameters<Cluster["hold"]>[1];

interface Wanting {
  readonly roles: readonly string[];
  readonly work: Work;
}

/** Replicas in one process. A role belongs to whoever asked first, until it is given up. */
export class MemoryCluster {
  readonly #waiting = new Set<Wanting>();
  readonly #held = new Map<Wanting, { role: string; controller: AbortController; done: Promise<void> }>();
  readonly #sessions = new Map<string, object>();

  replica(): Pick<Cluster, "hold" | "size" | "gatewaySessions"> {
    return {
      size: () => 2,
      gatewaySessions: {
        of: async (role) => structuredClone(this.#sessions.get(role) ?? null),
        keep: async (role, session) => {
          if (session === null) this.#sessions.delete(role);
          else this.#sessions.set(role, structuredClone(session));
        },
      },
      hold: (role, work) => {
        const wanting = { roles: [role].flat(), work };
        this.#waiting.add(wanting);
        this.#give();
        return async () => {
          this.#waiting.delete(wanting);
          const held = this.#held.get(wanting);
          held?.controller.abort();
          await held?.done;
          this.#held.delete(wanting);
          this.#give();
        };
      },
    };
  }

  #give(): void {
    for (const wanting of this.#waiting) {
      const taken = new Set([...this.#held.values()].map(({ role }) => role));
      const role = wanting.roles.find((each) => !taken.has(each));
      if (role === undefined) continue;
      this.#waiting.delete(wanting);
      const controller = new AbortController();
      const done = Promise.resolve()
        .then(() => wanting.work(controller.signal))
        .catch(() => undefined); // failed work is restarted by the real cluster
      this.#held.set(wanting, { role, controller, done });
    }
  }
}
