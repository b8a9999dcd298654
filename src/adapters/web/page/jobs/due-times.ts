import { get } from "../section/request.ts";

/** When a job would be due as its form is filled in: a sentence, and its next times. */
export function dueTimes(of: { readonly job: string } | { readonly channel: string }) {
  return async (
    { when = "", timezone = "" }: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<string> => {
    if (when.trim() === "") return "";
    const asked = { ...of, when, timezone };
    const { words, next } = await get<{ words: string; next: string[] }>("/features/console/jobs/when", asked, signal);
    return next.length === 0 ? words : `${words}. Next: ${next.join("; ")}.`;
  };
}
