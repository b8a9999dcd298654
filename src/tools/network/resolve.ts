import { lookup } from "node:dns/promises";

/** Resolves a host name to its addresses. The caller ignores a result that arrives after the signal has aborted. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Resolves one name at a time; concurrent requests for the same name share one look-up. Skips a name if nobody waits
 * for it any more when its turn comes.
 */
export function serialResolve(resolve: Resolve): Resolve {
  const underWay = new Map<string, { readonly askers: AbortSignal[]; readonly found: Promise<readonly string[]> }>();
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
    last = found.catch(() => {}); // the askers receive the error
    return found;
  };
}

/**
 * Resolves names as other programs of the machine do, including `/etc/hosts`. The process can do two such look-ups at
 * once (half the threads of libuv's pool), and a name with silent servers blocks one until the system gives up. Tools
 * therefore share one slot and leave the other to the bot's own look-ups.
 */
export function createSystemResolve(): Resolve {
  return serialResolve(async (hostname) => {
    const found = await lookup(hostname, { all: true, order: "verbatim" });
    return found.map(({ address }) => address);
  });
}
