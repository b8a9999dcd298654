import { prefixShare } from "../test/support/model/prefix-share.ts";
import { longConversation } from "../test/support/talk/long-conversation.ts";
import { slackScene } from "../test/support/talk/scene.ts";
import type { Figure } from "./measure.ts";

/** Twenty turns of one thread: how much of what is sent a provider's cache cannot hold, since it is new. */
export async function benchCache(): Promise<readonly Figure[]> {
  await using scene = await slackScene();
  const requests = await longConversation(scene);
  const { share, bytes } = prefixShare(requests);
  const size = (bytes / 1_024).toFixed(0);
  return [
    {
      name: `unchanged prefix of ${size} KB input, ${requests.length} turns`,
      unit: "%",
      aim: { least: 90 },
      samples: [share * 100],
    },
  ];
}
