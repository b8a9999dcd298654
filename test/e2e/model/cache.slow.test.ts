import { expect, test } from "vitest";
import { prefixShare } from "../../support/model/prefix-share.ts";
import { longConversation } from "../../support/talk/long-conversation.ts";
import { slackScene } from "../../support/talk/scene.ts";

test("in a conversation of twenty turns with two tool searches at least 90 % of the input is a cacheable prefix", async () => {
  await using scene = await slackScene();
  const requests = await longConversation(scene);
  expect(requests).toHaveLength(20);
  expect(requests.filter(({ toolResults }) => toolResults.length > 0)).toHaveLength(15);
  const results = requests.flatMap(({ toolResults }) => toolResults);
  expect(results.filter(({ isError }) => isError)).toEqual([]);
  expect(results.filter(({ text }) => text.startsWith("Call with use_tool"))).toHaveLength(2);
  const { share, broken } = prefixShare(requests);
  expect(share).toBeGreaterThanOrEqual(0.9);
  expect(broken).toEqual([]);
  expect(scene.model.violations).toEqual([]);
});
