import type { ApprovalRequest } from "../agent/approval-service.ts";
import type { Author } from "../protocol/messages.ts";
import type { StoreReads } from "../store/store.ts";
import { originOf, peopleIn } from "../trust/label.ts";
import { peopleOfRun } from "./run-people.ts";

/** The people and outside sources whose words led to a turn's calls. */
export interface RequestPeople {
  /** The author of the event that began the run. */
  readonly requester: Author;
  /** Everyone else whose words are in the request, each once. */
  readonly others: Author[];
  /** Label entries of outside content, for which nobody answers. */
  readonly outside: string[];
}

/** Everyone whose words the requests carry, from the run itself and from the history before it. */
export async function peopleOfRequest(
  store: StoreReads,
  runId: string,
  { label, messages }: ApprovalRequest,
): Promise<RequestPeople> {
  const { requester, others } = await peopleOfRun(store, runId);
  const isForeign = ({ id }: Author) =>
    messages.some(({ author, label: own }) => author?.id === id && own?.who.includes(id) === false);
  const named = new Map(messages.flatMap(({ author }) => (author === undefined ? [] : [[author.id, author] as const])));
  const all = new Map(others.filter((author) => !isForeign(author)).map((author) => [author.id, author]));
  for (const id of peopleIn(label)) if (!all.has(id)) all.set(id, named.get(id) ?? { id, name: id });
  all.delete(requester.id);
  return { requester, others: [...all.values()], outside: label.who.filter((each) => originOf(each) !== null) };
}
