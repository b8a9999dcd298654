import { counted } from "../../../core/text/counted.ts";
import type { PersonsData } from "./delete-person.ts";

/** How much is kept of a person, one line per kind. */
export function dataText({ sessions, messages, memories, jobs }: PersonsData, them = "them"): string {
  return [
    `· ${counted(sessions, "session")} that nobody else has written in: deleted entirely`,
    `· ${counted(messages, "message")} alongside others': replaced by a mark`,
    `· ${counted(memories, "memory", "memories")} by ${them} or about ${them}`,
    `· ${counted(jobs, "job")}`,
  ].join("\n");
}

export function openRunsNote({ openRuns }: Pick<PersonsData, "openRuns">): string {
  return openRuns === 1 ? "A run is in progress" : `${openRuns} runs are in progress`;
}
