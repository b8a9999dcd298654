import { expect, test } from "vitest";
import { isForThisApp } from "../../../../src/adapters/slack/connection/origin.ts";
import { appOf } from "../../../../src/adapters/slack/web.ts";
import { Inbox } from "../../../contracts/inbox.ts";
import { openSlackHarness } from "../../../support/slack/slack-harness.ts";

const US = { teamId: "T1", teamName: "Acme", userId: "U1", enterpriseId: undefined, appId: "A1" };
const IN_GRID = { ...US, enterpriseId: "E1" };

test.each([
  { what: "an event of ours", payload: { team_id: "T1", api_app_id: "A1" }, us: US, ours: true },
  { what: "an event of another team", payload: { team_id: "T2", api_app_id: "A1" }, us: US, ours: false },
  { what: "an event of another app", payload: { team_id: "T1", api_app_id: "A2" }, us: US, ours: false },
  {
    what: "an event of a shared channel, for our installation",
    payload: { team_id: "T2", api_app_id: "A1", authorizations: [{ team_id: "T1", enterprise_id: null }] },
    us: US,
    ours: true,
  },
  {
    what: "a click of another team",
    payload: { team: { id: "T2", domain: "x" }, api_app_id: "A1" },
    us: US,
    ours: false,
  },
  { what: "a command of another team", payload: { command: "/usage", team_id: "T2" }, us: US, ours: false },
  { what: "another team of our enterprise", payload: { team_id: "T2", enterprise_id: "E1" }, us: IN_GRID, ours: true },
  {
    what: "another enterprise's click",
    payload: { team: { id: "T9" }, enterprise: { id: "E9" } },
    us: IN_GRID,
    ours: false,
  },
  {
    what: "our enterprise's click without a team",
    payload: { team: null, enterprise: { id: "E1" } },
    us: IN_GRID,
    ours: true,
  },
  { what: "what names neither", payload: { type: "url_verification" }, us: US, ours: true },
])("$what is accepted: $ours", ({ payload, us, ours }) => {
  expect(isForThisApp(payload, us)).toBe(ours);
});

test("an app-level token contains the app's id", () => {
  expect(appOf("xapp-1-A0123ABCD-456-789abc")).toBe("A0123ABCD");
  expect([appOf("xapp-local-app"), appOf(undefined)]).toEqual([null, null]);
});

test("a mention from another team is acknowledged and ignored", async () => {
  await using harness = await openSlackHarness();
  const platform = harness.adapter();
  const inbox = new Inbox();
  await platform.start(inbox.receive, new AbortController().signal);
  const { people, workspace } = harness.server;
  const mention = () => ({
    type: "app_mention",
    channel: "C0001",
    user: "U0ANA",
    ts: workspace.nextTs(),
    text: `<@${workspace.botUserId}> hello`,
  });
  await people.event(mention(), { team_id: "T0666", authorizations: [{ team_id: "T0666" }] }).answered;
  await people.event(mention()).answered;
  expect(inbox.events).toHaveLength(1);
});
