import { prefixShare } from "../test/support/model/prefix-share.ts";
import { longConversation } from "../test/support/talk/long-conversation.ts";
import { slackScene } from "../test/support/talk/scene.ts";
import type { Figure } from "./measure.ts";

/**
 * Measures over twenty turns of one thread how much of the input is an unchanged prefix, which a provider's cache can
 * hold.
 */
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
