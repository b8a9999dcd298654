import { startAnthropicServer } from "../model/anthropic-server.ts";
import type { ModelServer } from "../model/model-server.ts";
import { type Bot, createBot } from "./bot.ts";

/** The whole program, running with a scripted model and no platform but its page and the terminal. */
export interface ScriptedBot extends AsyncDisposable {
  readonly bot: Bot;
  readonly model: ModelServer;
}

export async function scriptedBot(key = "test-key"): Promise<ScriptedBot> {
  const model = await startAnthropicServer();
  const bot = await createBot({ env: { ...modelAt(model), ANTHROPIC_API_KEY: key } });
  await bot.start();
  return {
    bot,
    model,
    async [Symbol.asyncDispose]() {
      await bot[Symbol.asyncDispose]();
      await model.close();
    },
  };
}

/** Environment that directs the program to the model. */
export function modelAt({ url }: ModelServer): Record<string, string> {
  return { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: url, DECKHAND_MODEL: "anthropic/claude-sonnet-5-5" };
}
