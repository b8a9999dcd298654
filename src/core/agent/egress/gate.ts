import { cut } from "../../text/plain-text.ts";
import type { CallEnvironment, CallRule, Tool } from "../../tool.ts";
import { carriedText, type FreeData, freeData, type KnownContent } from "../../trust/egress.ts";
import type { Label } from "../../trust/label.ts";

/** The content of the request that led to a turn's calls. */
export interface RequestContent {
  readonly label: Label;
  readonly known: () => KnownContent;
}

/** Maximum length of the outgoing data as quoted in a sentence, in characters. The card shows all of it. */
const QUOTED_CHARS = 120;

/**
 * The rule for a call that would send data which no person here wrote and outside content may have made the model
 * write. In mode write a person must allow the call; where nobody is asked, it is refused. Null if the call sends
 * nothing of that kind.
 */
export function egressRule(
  tool: Tool,
  input: unknown,
  { environment, request }: { environment: CallEnvironment; request: RequestContent },
): CallRule | null {
  const sendings = tool.sends?.(input) ?? [];
  const { allowedHosts, sinks = [] } = environment;
  const free = freeData(sendings, { ...request, sources: allowedHosts, sinks });
  if (free === null) return null;
  const what = `${quoted(free)} would go to ${free.to}`;
  const held = carriedText(request.label);
  if (environment.mode === "write" && environment.nonInteractive !== true) {
    return { type: "ask", why: `No person here wrote it: ${what}, and I have read ${held}.`, always: true };
  }
  const where =
    environment.nonInteractive === true ? "nobody can be asked" : `in mode ${environment.mode} nobody is asked`;
  return {
    type: "refuse",
    reason: `Not run: ${what}. No person here wrote that, you have read ${held}, and ${where}. Use an address that a person wrote or that a page names, or continue without it and say so; an operator can let data go there (a sink in allowedHosts).`,
  };
}

function quoted({ says }: FreeData): string {
  return `“${cut(says.replaceAll(/\s+/gu, " "), QUOTED_CHARS)}”`;
}
