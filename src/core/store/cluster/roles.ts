import { z } from "zod";
import type { Cluster } from "../../cluster.ts";
import { workUntil } from "../../work-until.ts";
import type { ReplicaScope } from "./cluster-connection.ts";

/** Takes the roles that no live process holds, if this process itself still counts as alive. */
const TAKE = `INSERT INTO deckhand_cluster.role (name, replica)
  SELECT wanted, $1 FROM unnest($2::text[]) AS wanted
  WHERE EXISTS (SELECT FROM deckhand_cluster.replica WHERE id = $1)
  ON CONFLICT (name) DO UPDATE SET replica = excluded.replica
    WHERE role.replica = excluded.replica
      OR NOT EXISTS (SELECT FROM deckhand_cluster.replica AS holder WHERE holder.id = role.replica)
  RETURNING name`;

/** Takes one of the roles, unless the process already has one of them. */
const TAKE_ONE = `WITH own AS (
    SELECT name FROM deckhand_cluster.role WHERE replica = $1 AND name = ANY($2::text[]) LIMIT 1
  ), taken AS (
    INSERT INTO deckhand_cluster.role (name, replica)
    SELECT wanted, $1 FROM unnest($2::text[]) AS wanted
    WHERE NOT EXISTS (SELECT FROM own) AND EXISTS (SELECT FROM deckhand_cluster.replica WHERE id = $1)
      AND NOT EXISTS (
        SELECT FROM deckhand_cluster.role AS held
        JOIN deckhand_cluster.replica AS holder ON holder.id = held.replica
        WHERE held.name = wanted
      )
    LIMIT 1
    ON CONFLICT (name) DO UPDATE SET replica = excluded.replica
      WHERE NOT EXISTS (SELECT FROM deckhand_cluster.replica AS holder WHERE holder.id = role.replica)
    RETURNING name
  )
  SELECT name FROM own UNION ALL SELECT name FROM taken`;

const GIVE_UP = "DELETE FROM deckhand_cluster.role WHERE name = $1 AND replica = $2";

const takenSchema = z.array(z.object({ name: z.string() }));

interface Role {
  /** The role is any one of these. */
  readonly names: readonly string[];
  readonly work: (signal: AbortSignal) => Promise<void>;
  /** Null while this process does not have the role. */
  holding: { readonly name: string; readonly controller: AbortController; readonly done: Promise<void> } | null;
}

/** This process's share of the work that only one process does at a time; one row per role records who. */
export class Roles {
  readonly #options: ReplicaScope;
  readonly #wanted = new Set<Role>();

  constructor(options: ReplicaScope) {
    this.#options = options;
  }

  hold: Cluster["hold"] = (name, work) => {
    const names = typeof name === "string" ? [name] : name;
    const role: Role = { names, work, holding: null };
    this.#wanted.add(role);
    this.take().catch((error: unknown) => this.#options.log.warn({ err: error, role: name }, "role_not_taken"));
    return async () => {
      this.#wanted.delete(role);
      const held = role.holding?.name;
      if (held === undefined) return;
      await this.#end(role);
      await this.#giveUp(held);
    };
  };

  /** Ends the work of roles that this process has lost. */
  keepOnly(held: readonly string[]): void {
    for (const { holding } of this.#wanted)
      if (holding !== null && !held.includes(holding.name)) holding.controller.abort();
  }

  /** Tries to take the roles that this process wants and does not have. */
  async take(): Promise<void> {
    const missing = [...this.#wanted].flatMap(({ names, holding }) => (holding === null ? [names] : []));
    const single = missing.filter(({ length }) => length === 1).flat();
    if (single.length > 0) await this.#take(TAKE, single);
    for (const names of missing) if (names.length > 1) await this.#take(TAKE_ONE, names);
  }

  async #take(sql: string, names: readonly string[]): Promise<void> {
    const { connection, id } = this.#options;
    const taken = takenSchema.parse(await connection.query(sql, [id, names]));
    for (const { name } of taken) {
      const role = [...this.#wanted].find((each) => each.names.includes(name));
      if (role === undefined) await this.#giveUp(name);
      else if (role.holding === null) this.#begin(name, role);
    }
  }

  /** Ends all work. The rows end with this process's membership. */
  async close(): Promise<void> {
    const roles = [...this.#wanted];
    this.#wanted.clear();
    await Promise.all(roles.map((role) => this.#end(role)));
  }

  #begin(name: string, role: Role): void {
    const controller = new AbortController();
    this.#options.log.info({ role: name }, "role_taken");
    const done = workUntil(controller.signal, role.work, { ...this.#options, name }).finally(() => {
      role.holding = null;
    });
    role.holding = { name, controller, done };
  }

  async #end({ holding }: Role): Promise<void> {
    holding?.controller.abort();
    await holding?.done;
  }

  async #giveUp(name: string): Promise<void> {
    const { connection, id, log } = this.#options;
    const given = connection.query(GIVE_UP, [name, id]);
    await given.catch((error: unknown) => log.warn({ err: error }, "role_not_given_up"));
  }
}
