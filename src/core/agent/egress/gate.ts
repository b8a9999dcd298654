import type { CallEnvironment, CallRule, Tool } from "../../tool.ts";
import { carriedText, type FreeData, freeData, type KnownWords } from "../../trust/egress.ts";
import type { Label } from "../../trust/label.ts";

/** What led to a turn's calls: what their request carries. */
export interface RequestContent {
  readonly label: Label;
  readonly known: () => KnownWords;
}

/** Characters of what would leave, in a sentence; the card shows all of it. */
const QUOTED_CHARS = 120;

/**
 * What holds for a call by which data would leave that somebody outside may have had the model write: a person sees it first, in
 * mode write; where nobody is asked, it stays. Null where nothing of the kind leaves.
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
    environment.nonInteractive === true ? "nobody is there to be asked" : `in mode ${environment.mode} nobody is asked`;
  return {
    type: "refuse",
    reason: `Not run: ${what}. No person here wrote that, you have read ${held}, and ${where}. Use an address that a person wrote or that a page names, or do without it and say so; an operator can let data go there (a sink in allowedHosts).`,
  };
}

function quoted({ says }: FreeData): string {
  const line = says.replaceAll(/\s+/gu, " ");
  return line.length > QUOTED_CHARS ? `“${line.slice(0, QUOTED_CHARS).toWellFormed()}…”` : `“${line}”`;
}
