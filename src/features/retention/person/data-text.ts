import type { PersonsData } from "./delete-person.ts";

/** How much is kept of a person, one line per kind. */
export function dataText({ sessions, messages, memories, jobs }: PersonsData, them = "them"): string {
  return [
    `· ${counted(sessions, "session", "sessions")} that nobody else has written in: deleted whole`,
    `· ${counted(messages, "message", "messages")} beside others': a mark stands in their place`,
    `· ${counted(memories, "memory", "memories")} by ${them} or about ${them}`,
    `· ${counted(jobs, "job", "jobs")}`,
  ].join("\n");
}

export function openRunsNote({ openRuns }: Pick<PersonsData, "openRuns">): string {
  return openRuns === 1 ? "A run goes on" : `${openRuns} runs go on`;
}

function counted(count: number, one: string, more: string): string {
  return `${count} ${count === 1 ? one : more}`;
}
