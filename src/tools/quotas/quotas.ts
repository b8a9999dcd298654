import type { GrowthLedger } from "../../core/growth-ledger.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { type Bucket, fullText, isOfDay } from "./bucket.ts";
import { QuotaExceeded } from "./quota-meter.ts";
import { RootMeters } from "./root-meters.ts";

/** Where something is written, and for whom. */
export interface GrowthPlace {
  /** Absolute path of a sandbox root. */
  readonly root: string;
  /** For example `slack:U1`; null if the write is on nobody's behalf. */
  readonly personId: string | null;
  readonly channelKey: string;
}

/** What a call has added: bytes in its root, and bytes kept so that its changes can be undone. */
export interface Added {
  readonly bytes: number;
  readonly kept: number;
}

/** A call that may write. */
export interface GrowingCall {
  readonly buckets: readonly Bucket[];
  /** Must be called once; null if the amount added is unknown. */
  ended(added: Added | null): void;
}

/** Limits the size of roots, and how much people and channels may add in a day. */
export interface Quotas {
  begin(place: GrowthPlace): Promise<GrowingCall>;
  /** Waits a limited time for the figures of a root. */
  ready(place: GrowthPlace): Promise<void>;
  /** Counts what the program itself is about to write on somebody's behalf; throws QuotaExceeded if it is too much. */
  take(place: GrowthPlace, bytes: number): void;
  give(place: GrowthPlace, bytes: number): void;
  close(): Promise<void>;
}

export interface QuotaOptions {
  /** In bytes. */
  readonly limits: {
    readonly root: (channelKey: string) => number;
    readonly person: number;
    readonly channel: number;
  };
  /** Whether a root is an operator's directory; what it held when it was first seen does not count. */
  readonly isGiven: (root: string) => boolean;
  /** Closed together with the quotas. */
  readonly ledger: GrowthLedger;
  readonly clock: Clock;
  readonly log: Log;
}

/** Bytes left at which a root counts as nearly full: it is measured again before anybody is refused. */
const NEARLY = 16_777_216;

export function createQuotas({ limits, isGiven, ledger, clock, log }: QuotaOptions): Quotas {
  const closing = new AbortController();
  const roots = new RootMeters({ clock, log }, closing.signal);
  /** Number of running calls that count against each limit. */
  const running = new Map<string, number>();

  const bucketsOf = bucketsFor({ limits, isGiven }, ledger, roots);
  const addToDay = (place: GrowthPlace, { bytes, kept }: Added): void => {
    for (const bucket of bucketsOf(place)) {
      if (isOfDay(bucket)) ledger.add(bucket.key, bytes);
      else if (bucket.kind === "kept") ledger.add(bucket.key, kept);
    }
  };
  const add = (place: GrowthPlace, added: Added): void => {
    roots.add(place.root, added.bytes);
    addToDay(place, added);
  };
  const ready = readyFor({ isGiven, ledger, roots, bucketsOf });
  /** By root, the measurements in progress of what ended calls added without reporting it. */
  const unreported = new Map<string, Promise<void>>();
  const addUnreported = (place: GrowthPlace): void => {
    const added = roots
      .addedUnreported(place.root)
      .then((bytes) => addToDay(place, { bytes, kept: 0 }))
      .catch((error: unknown) => log.warn({ err: error }, "growth_not_known"));
    unreported.set(place.root, added);
  };
  const count = (key: string, by: number): void => {
    const calls = (running.get(key) ?? 0) + by;
    if (calls === 0) running.delete(key);
    else running.set(key, calls);
  };

  return {
    ready,
    async begin(place) {
      await ready(place);
      const pending = unreported.get(place.root);
      if (pending !== undefined) await roots.waitBriefly(pending);
      unreported.delete(place.root);
      const buckets = bucketsOf(place).map((bucket) => ({ ...bucket, isAlone: !running.has(bucket.key) }));
      for (const { key } of buckets) count(key, 1);
      return {
        buckets,
        ended(added) {
          for (const { key } of buckets) count(key, -1);
          if (added !== null) add(place, added);
          else addUnreported(place);
        },
      };
    },
    take(place, bytes) {
      for (const bucket of bucketsOf(place))
        if (bucket.kind !== "kept" && bytes > bucket.left)
          throw new QuotaExceeded(fullText(bucket, bucket.left, bytes));
      add(place, { bytes, kept: 0 });
    },
    give: (place, bytes) => add(place, { bytes: -bytes, kept: 0 }),
    close() {
      closing.abort();
      return ledger.close();
    },
  };
}

type Limits = Pick<QuotaOptions, "limits" | "isGiven">;

interface Figures extends Pick<QuotaOptions, "isGiven" | "ledger"> {
  readonly roots: RootMeters;
  readonly bucketsOf: ReturnType<typeof bucketsFor>;
}

/** Waits a limited time for the figures that count in a place. */
function readyFor({ isGiven, ledger, roots, bucketsOf }: Figures): Quotas["ready"] {
  return async (place) => {
    const asked = ledger.ready(dayKeys(place), isGiven(place.root) ? place.root : null);
    if (asked !== null) await roots.waitBriefly(asked);
    await roots.ready(place.root, () => (bucketsOf(place)[0]?.left ?? 0) < NEARLY);
  };
}

/** Keys of the daily limits of a place. */
function dayKeys({ personId, channelKey }: GrowthPlace): readonly string[] {
  const channel = `channel:${channelKey}`;
  return personId === null ? [channel] : [`person:${personId}`, `kept:${personId}`, channel];
}

/** The limits that apply in a place, with the remainder of each. */
function bucketsFor({ limits, isGiven }: Limits, day: GrowthLedger, roots: RootMeters) {
  const rootBucket = ({ root, channelKey }: GrowthPlace): Omit<Bucket, "isAlone"> => {
    const [limit, held, key] = [limits.root(channelKey), roots.bytes(root), `root:${root}`];
    if (!isGiven(root)) return { key, kind: "root", limit, left: limit - held };
    if (roots.isKnown(root) && day.given(root) === null) day.see(root, held);
    return { key, kind: "given", limit, left: limit - Math.max(0, held - (day.given(root) ?? held)) };
  };
  const dayBucket = (kind: "person" | "channel" | "kept", id: string): Omit<Bucket, "isAlone"> => {
    const [limit, key] = [kind === "channel" ? limits.channel : limits.person, `${kind}:${id}`];
    return { key, kind, limit, left: limit - day.bytes(key) };
  };
  return (place: GrowthPlace): readonly Omit<Bucket, "isAlone">[] => [
    rootBucket(place),
    ...(place.personId === null ? [] : [dayBucket("person", place.personId), dayBucket("kept", place.personId)]),
    dayBucket("channel", place.channelKey),
  ];
}
