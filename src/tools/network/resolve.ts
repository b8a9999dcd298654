import { lookup } from "node:dns/promises";

/** A host name's addresses. What it finds when the signal has aborted is of no use to who asked. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

interface LookUp {
  readonly askers: AbortSignal[];
  readonly found: Promise<readonly string[]>;
}

/**
 * One name after the other, and a name that is asked for meanwhile once for all who ask. A name whose turn comes when
 * nobody waits for it any more is passed over.
 */
export function oneByOne(resolve: Resolve): Resolve {
  const underWay = new Map<string, LookUp>();
  let last: Promise<unknown> = Promise.resolve();
  const turn = async (hostname: string, askers: readonly AbortSignal[]): Promise<readonly string[]> => {
    await last;
    try {
      const asker = askers.find(({ aborted }) => !aborted);
      return asker === undefined ? [] : await resolve(hostname, asker);
    } finally {
      underWay.delete(hostname);
    }
  };
  return (hostname, signal) => {
    const known = underWay.get(hostname);
    if (known !== undefined) {
      known.askers.push(signal);
      return known.found;
    }
    const askers = [signal];
    const found = turn(hostname, askers);
    underWay.set(hostname, { askers, found });
    last = found.catch(() => {}); // who asked hears of it
    return found;
  };
}

/**
 * As other programs of the machine resolve names, `/etc/hosts` included. The whole process has two places for that
 * (half the threads of libuv's pool), and a name whose servers are silent holds one until the system gives up: tools
 * share one of these and so take one place, and the bot's own look-ups have the other.
 */
export function createSystemResolve(): Resolve {
  return oneByOne(async (hostname) => {
    const found = await lookup(hostname, { all: true, order: "verbatim" });
    return found.map(({ address }) => address);
  });
}
