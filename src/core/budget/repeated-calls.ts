import { AppError } from "../protocol/errors.ts";
import { type Message, type ToolResultBlock, type ToolUseBlock, toolUsesOf } from "../protocol/messages.ts";
import { canonicalJson } from "../text/canonical-json.ts";

/** The model gets a hint after this many equal calls with equal results in a row. */
const HINT_AFTER = 3;
/** The run ends after this many. */
const STOP_AFTER = 5;

/** The part of a run's state that shows which calls it made. */
interface Calls {
  /** Oldest first. */
  readonly messages: readonly Message[];
  /** Number of model responses in this run. */
  readonly turns: number;
}

/** The results of a response's calls, in call order, each with a hint if the model repeats itself. */
export function withRepeatHints(
  run: Calls,
  uses: readonly ToolUseBlock[],
  results: readonly ToolResultBlock[],
): ToolResultBlock[] {
  let { print, times } = newestRepeat(run);
  return results.map((result) => {
    const use = uses.find(({ id }) => id === result.toolUseId);
    const now = use === undefined ? null : printOf(use, result);
    times = now !== null && now === print ? times + 1 : 1;
    print = now;
    if (times < HINT_AFTER) return result;
    const text = `[This call has returned the same result ${times} times in a row. Try something else, or end your turn and say what is missing.]`;
    return { ...result, content: [...result.content, { type: "text", text, isAdded: true }] };
  });
}

/** The error that ends a run whose newest calls are all the same; null if they are not. */
export function endlessRepeat(run: Calls): AppError | null {
  const { name, times } = newestRepeat(run);
  if (times < STOP_AFTER) return null;
  const detail = { name, times: String(times) };
  return new AppError("repeating", `${name} was called ${times} times in a row with the same result`, { detail });
}

interface Repeat {
  readonly name: string;
  /** Fingerprint of the newest call and its result; null before the first. */
  readonly print: string | null;
  readonly times: number;
}

function newestRepeat(run: Calls): Repeat {
  let newest: Repeat = { name: "", print: null, times: 0 };
  for (const { use, result } of newestCalls(run)) {
    const print = printOf(use, result);
    if (newest.print !== null && newest.print !== print) break;
    newest = { name: use.name, print, times: newest.times + 1 };
  }
  return newest;
}

/** The run's calls that have results, newest first, back to the last message from somebody else. */
function* newestCalls({ messages, turns }: Calls): Generator<{ use: ToolUseBlock; result: ToolResultBlock }> {
  let left = turns;
  let results: readonly ToolResultBlock[] = [];
  for (const message of messages.toReversed()) {
    if (left === 0) return;
    if (message.role === "user") {
      results = message.content.filter((block) => block.type === "tool_result");
      if (results.length === 0) return;
      continue;
    }
    left -= 1;
    for (const use of toolUsesOf(message.content).toReversed()) {
      const result = results.find(({ toolUseId }) => toolUseId === use.id);
      if (result !== undefined) yield { use, result };
    }
    results = [];
  }
}

/** Older rows mark a hint by these words alone. */
const EARLIER = "[The same call has had the same result ";

/** Fingerprint of a call and its result, without any hint in the result. */
function printOf({ name, input }: ToolUseBlock, { content, isError }: ToolResultBlock): string {
  const own = content.filter((block) => block.type !== "text" || !(block.isAdded ?? block.text.startsWith(EARLIER)));
  return canonicalJson([name, input, own, isError]);
}
