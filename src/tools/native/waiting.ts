import { DefectError } from "../../core/protocol/errors.ts";
import type { ToolResult } from "../../core/protocol/tool-result.ts";
import type { Tool, ToolContext } from "../../core/tool.ts";

type Resume<I> = (input: I, ctx: ToolContext, signal: AbortSignal) => Promise<ToolResult | null>;

/**
 * The methods of a tool whose calls wait. `execute` serves runs that cannot park, where calls must have their result at
 * once.
 */
export function waitingMethods<I>(resume: Resume<I>): Required<Pick<Tool<I>, "execute" | "resume">> {
  return {
    resume,
    async execute(input, ctx, signal) {
      const result = await resume(input, ctx, signal);
      if (result !== null) return result;
      throw new DefectError("a call that waits was executed where a run cannot park");
    },
  };
}
