/** What the bench can measure, by the name `--only` knows. */
export interface Measure {
  readonly name: string;
  /** One line for `--help`. */
  readonly about: string;
  readonly run: () => Promise<readonly Figure[]>;
}

/** One line of the table. */
export interface Figure {
  readonly name: string;
  readonly unit: "ms" | "MB" | "KB" | "×" | "%" | "/s";
  /** What the figure should stay below, or reach; null where it is there for comparison only. */
  readonly aim: number | { readonly least: number } | null;
  /** One value per run; none when it cannot be measured here. */
  readonly samples: readonly number[];
}

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Null for no samples. */
export function spreadOf(samples: readonly number[]): Spread | null {
  const sorted = samples.toSorted((a, b) => a - b);
  const [min] = sorted;
  const max = sorted.at(-1);
  if (min === undefined || max === undefined) return null;
  const below = sorted[Math.floor((sorted.length - 1) / 2)] ?? min;
  const above = sorted[Math.ceil((sorted.length - 1) / 2)] ?? max;
  return { median: (below + above) / 2, min, max };
}

/** Runs the work `runs` times, one after the other. Milliseconds each. */
export async function timed(runs: number, work: () => Promise<unknown>): Promise<number[]> {
  const samples: number[] = [];
  for (let run = 0; run < runs; run++) {
    const started = performance.now();
    await work();
    samples.push(performance.now() - started);
  }
  return samples;
}
