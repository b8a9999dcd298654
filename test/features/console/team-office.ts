import type { Browser, Page } from "playwright-core";
import { text } from "../../support/model/model-script.ts";
import { typed } from "../../support/talk/memory-talk.ts";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";
import { addAccount, consoleOffice, link, signedIn } from "./console-world.ts";
import { CHANNELS, seedTeam, type Team } from "./seed-team.ts";

/**
 * A program over a team's PostgreSQL, and its page as somebody sees it who is in half of the channels. `program`:
 * by what URL the program reaches the database.
 */
export async function openTeam(
  browser: Browser,
  { team, ...urls }: { readonly team: Team; readonly database: string; readonly program: string },
): Promise<{ at: SlackOffice; page: Page }> {
  const at = await consoleOffice({}, { DATABASE_URL: urls.program });
  at.model.script(() => text("Done."));
  await addAccount(at, { name: "ana" });
  const page = await signedIn(at, browser, { name: "ana" });
  await link(at, page, "U0ANA");
  const { workspace } = at.slack;
  for (let channel = 0; channel < CHANNELS; channel += 1) {
    const members = new Set([channel % 2 === 0 ? "U0ANA" : "U0BOB", workspace.botUserId]);
    const id = `C9${channel}`;
    workspace.channels.set(id, { id, name: `room-${channel}`, kind: "channel", isPrivate: true, members, gone: false });
  }
  const line = 'add --name "count" --cron "0 9 1 1 *" --prompt "Count."';
  const told = await typed(at, line, { channel: "C90", name: "jobs" });
  if (!told.includes("count")) throw new Error(told);
  await typed(at, "add the gulls of the pier like rye bread", { channel: "C90" });
  await seedTeam(urls.database, team);
  return { at, page };
}
