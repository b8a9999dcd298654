import { fileSession, text, useSandbox } from "../file-session.ts";

/** Creates a function that shows a document as read does from a line on, without the numbers of its lines. */
export function useShownDocument(): (document: Uint8Array, offset?: number) => Promise<string> {
  const sandbox = useSandbox();
  return async (document, offset = 1) => {
    const session = fileSession(sandbox);
    session.put("attached", document);
    const lines = text(await session.run("read", { path: "attached", offset })).split("\n");
    return lines.map((line) => line.replace(/^\d+\t/, "")).join("\n");
  };
}
