import { authorOf } from "../../core/people/run-people.ts";
import { decidersSentence, mayDecide } from "../../core/permissions/deciders.ts";
import { cardKeyOf, type DetailsReader, type StartingRun } from "../../core/run/run-hooks.ts";
import type { OpenFeature } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { type InstructionText, instructionGrantKey } from "../../tools/instructions/instruction-gate.ts";
import { allowedCard, instructionCard } from "./card.ts";
import { cardReads, cardWrites, type WaitingText } from "./store.ts";

const NAME = "instructions";
/** Label of allowed instructions: no longer from outside, but still from the channel's files. */
const FILES = { text: "", label: { who: [], holds: ["files"] } } as const;

type Host = Pick<FeatureHost, "store" | "runtime" | "approvals" | "instructions" | "closeCard">;

/** Asks, once per version, whether agents may follow a sandbox root's instructions. No run waits for the answer. */
export function instructionsHook(host: Host): NonNullable<OpenFeature["hook"]> {
  return {
    async before(run) {
      const place = { channelKey: run.session.channelKey, sandboxRoot: run.sandboxRoot };
      const waiting = host.instructions.waiting(place);
      if (waiting.length > 0) await ask(host, run, waiting);
      return host.instructions.followsRepository(place) ? FILES : null;
    },
    clicked: (runId, reader) => allow(host, runId, reader),
  };
}

async function ask({ store, runtime, approvals }: Host, run: StartingRun, waiting: readonly InstructionText[]) {
  const { channelKey } = run.session;
  const asked = await store.tables(cardReads).inChannel(channelKey);
  const isOn = (cards: readonly WaitingText[]) => (text: InstructionText) =>
    cards.some((card) => instructionGrantKey(card) === instructionGrantKey(text));
  const own = asked.filter(({ runId }) => runId === run.runId);
  const fresh = waiting.filter(own.length > 0 ? isOn(own) : (text) => !isOn(asked)(text));
  // The texts may have changed since an earlier process began to ask; the next run then asks.
  if (fresh.length === 0 || (own.length > 0 && fresh.length < own.length)) return;
  const requester = authorOf(run.event.body);
  if (own.length === 0) {
    const rows = fresh.map(({ path, sha256 }) => ({ channelKey, path, sha256, runId: run.runId, requester }));
    await store.transaction((tx) => tx.tables(cardWrites).add(rows, runtime.clock.now()));
  }
  const deciders = decidersSentence(requester.name, approvals);
  await run.ask(cardKeyOf(NAME), instructionCard({ texts: fresh, runId: run.runId, deciders }));
}

async function allow(host: Host, runId: string, { person, thread }: DetailsReader): Promise<string> {
  const { store, runtime, approvals } = host;
  const texts = await store.tables(cardReads).ofRun(runId);
  const [first] = texts;
  if (first === undefined) return "That is already allowed.";
  const { requester } = first;
  if (!mayDecide(person, requester.id, approvals))
    return `You can't decide this. ${decidersSentence(requester.name, approvals)}`;
  const by = `@${person.name}`;
  await store.transaction(async (tx) => {
    for (const text of texts) {
      if (!(await tx.tables(cardWrites).decide(text))) continue;
      await tx.grants.add({
        id: runtime.ids.next("grt"),
        sessionId: null,
        channelId: text.channelKey,
        personId: requester.id,
        key: instructionGrantKey(text),
        label: `following ${text.path}`,
        grantedBy: by,
        createdAt: runtime.clock.now(),
      });
    }
  });
  const paths = texts.map(({ path }) => path);
  await host.closeCard({ runId, hook: NAME, thread }, allowedCard(paths, by));
  return "✓ I'll follow it from the next request. `/approvals` lets you revoke that.";
}
