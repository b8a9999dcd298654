import type { Receipt } from "../../../src/core/platform/inbound.ts";
import type { ApprovalRow } from "../../../src/core/store/run/approvals.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { CHIEF } from "./sim-people.ts";

/** Checks that decisions do not change, and who made them. */
export class Decisions {
  readonly #store: Store;
  readonly #rows = new Map<string, ApprovalRow | null>();
  readonly #taken = new Set<string>();
  readonly #wrong: string[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  /** Records an approval that a card asks for. */
  asked(id: string): void {
    if (!this.#rows.has(id)) this.#rows.set(id, null);
  }

  /** Counts clicks on a card, of which one may become the decision. */
  clicked(button: string, receipt: Receipt): void {
    const [verb, , runId, turn] = button.split(":");
    if (verb !== "approve" || receipt.type !== "accepted") return;
    const id = `${runId}:${turn}`;
    if (this.#taken.has(id)) this.#wrong.push(`${id} decided twice`);
    this.#taken.add(id);
  }

  /** Compares all decisions with those seen before. */
  async look(): Promise<void> {
    for (const [id, before] of this.#rows) {
      const row = await this.#store.approvals.get(id);
      if (row === null || row.status === "pending") continue;
      if (before === null) this.#first(row);
      else if (JSON.stringify(before) !== JSON.stringify(row)) this.#wrong.push(`${id} changed`);
    }
  }

  #first(row: ApprovalRow): void {
    this.#rows.set(row.id, row);
    const may = [CHIEF.name, row.people.requester.name].map((name) => `@${name}`);
    const isOfPeople = row.status === "allowed" || row.status === "denied";
    if (isOfPeople && !may.includes(row.decidedBy ?? "")) this.#wrong.push(`${row.id} by ${row.decidedBy}`);
  }

  /** Violations that were found. */
  wrong(): readonly string[] {
    return this.#wrong;
  }

  /** Counts of how approvals ended. */
  tally(): Readonly<Record<string, number>> {
    const tally: Record<string, number> = {};
    for (const row of this.#rows.values()) {
      const status = row?.status ?? "pending";
      tally[status] = (tally[status] ?? 0) + 1;
    }
    return tally;
  }
}
