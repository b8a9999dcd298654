/** A measurement that the bench can make, by its name for `--only`. */
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
  /** The value to stay below or to reach; null if the figure is only for comparison. */
  readonly aim: number | { readonly least: number } | null;
  /** One value per run; empty if it cannot be measured here. */
  readonly samples: readonly number[];
}

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Null if there are no samples. */
export function spreadOf(samples: readonly number[]): Spread | null {
  const sorted = samples.toSorted((a, b) => a - b);
  const [min] = sorted;
  const max = sorted.at(-1);
  if (min === undefined || max === undefined) return null;
  const below = sorted[Math.floor((sorted.length - 1) / 2)] ?? min;
  const above = sorted[Math.ceil((sorted.length - 1) / 2)] ?? max;
  return { median: (below + above) / 2, min, max };
}

/** Runs the work `runs` times in sequence, and returns the milliseconds of each. */
export async function timed(runs: number, work: () => Promise<unknown>): Promise<number[]> {
  const samples: number[] = [];
  for (let run = 0; run < runs; run++) {
    const started = performance.now();
    await work();
    samples.push(performance.now() - started);
  }
  return samples;
}
