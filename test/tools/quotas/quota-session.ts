import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll } from "vitest";
import { DayGrowth } from "../../../src/tools/quotas/day-growth.ts";
import { measure } from "../../../src/tools/quotas/measure.ts";
import { createQuotas, type QuotaOptions, type Quotas } from "../../../src/tools/quotas/quotas.ts";
import type { Confinement } from "../../../src/tools/wasm/confinement.ts";
import { createSandbox, type Sandbox } from "../../../src/tools/wasm/sandbox.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { buildGuests, SANDBOX_CHILD } from "../../support/program/built.ts";
import { silentLog } from "../../support/silent-log.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { type FileSession, fileSession } from "../file-session.ts";

export const MB = 1_000_000;

export interface QuotaStage {
  readonly quotas: Quotas;
  readonly sandbox: Sandbox;
  readonly clock: ManualClock;
  /** File that stores the figures. */
  readonly file: string;
  session(who?: { person?: string; channel?: string; root?: string }): FileSession;
}

/**
 * Quotas over a real sandbox: 1 MB for a root, and a day's 2 MB for a person and 3 MB for a channel. `confined` returns
 * the system's confinement of the sandbox.
 */
export function useQuotas(given: Partial<QuotaOptions> = {}, confined?: (home: string) => Confinement): QuotaStage {
  const clock = new ManualClock();
  const home = mkdtempSync(path.join(tmpdir(), "deckhand-quotas-"));
  const file = path.join(home, "growth.json");
  const limits = { root: () => MB, person: 2 * MB, channel: 3 * MB };
  const ledger = new DayGrowth({ file, clock, log: silentLog });
  const quotas = createQuotas({ limits, isGiven: () => false, ledger, clock, log: silentLog, ...given });
  const sandbox = createSandbox({
    ...SANDBOX_CHILD,
    quotas,
    snapshots: path.join(home, "kept"),
    ...(confined && { confinement: confined(home) }),
  });
  let sessions = 0;
  beforeAll(async () => {
    await buildGuests();
  });
  afterAll(async () => {
    await quotas.close();
    await sandbox.close();
    rmSync(home, { recursive: true });
  });
  return {
    quotas,
    sandbox,
    clock,
    file,
    session({ person, channel, root = path.join(tempDirectory(), "root") } = {}) {
      sessions += 1;
      return fileSession(sandbox, {
        context: {
          sessionId: `ses_${sessions}`,
          personId: person ?? `slack:U${sessions}`,
          channelKey: channel ?? `slack:C${sessions}`,
          sandboxRoot: root,
        },
      });
    },
  };
}

/** Measures the current size of a tree. */
export function heldBy(root: string): Promise<number> {
  return measure(root, () => {}, new AbortController().signal);
}
