import { readdirSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { type Part, text, toolUse } from "../model/model-script.ts";
import type { RecordedRequest } from "../model/model-server.ts";
import { untilIdle } from "../program/bot.ts";
import { answers, putFile, type Scene } from "./scene.ts";

/** Number of people's requests, each of which takes the model three turns with tools and one without. */
const REQUESTS = 5;
const TURNS = 4;

/** Model parts before the answer in some requests, by request number. */
const FINDS: Readonly<Record<number, readonly Part[]>> = {
  1: [
    toolUse("tool_search", { query: "csv_query" }),
    toolUse("use_tool", { name: "csv_query", input: { file: "ports.csv" } }),
    toolUse("use_tool", { name: "csv_query", input: { file: "ports.csv", sort_by: "port" } }),
  ],
  3: [
    toolUse("tool_search", { query: "post a note" }),
    toolUse("use_tool", { name: "brief", input: { text: "Two of five are done." } }),
    toolUse("list_jobs", {}),
  ],
};

/**
 * Plays a conversation of twenty turns in one thread: files are found, read, changed and discussed, and in two requests
 * the model finds and uses tools that are not in its list. Returns its requests.
 */
export async function longConversation(scene: Scene): Promise<readonly RecordedRequest[]> {
  await scene.bot.start();
  const first = await untilToolsAreLoaded(scene);
  const lines = Array.from({ length: 60 }, (_, line) => `setting_${line} = ${line}`).join("\n");
  for (let file = 0; file < REQUESTS; file++) putFile(scene, `config-${file}.toml`, `port = 8080\n${lines}\n`);
  putFile(scene, "ports.csv", "name,port\nweb,8080\napi,9090\n");
  scene.model.script((_request, number) => {
    const index = number - first;
    const request = Math.floor(index / TURNS);
    const file = `config-${request}.toml`;
    const found = FINDS[request]?.[index % TURNS];
    if (found !== undefined) return found;
    if (index % TURNS === 0) return [text("I look for the file first."), toolUse("glob", { pattern: file })];
    if (index % TURNS === 1) return toolUse("read", { path: file });
    if (index % TURNS === 2)
      return toolUse("edit", { path: file, old_string: "port = 8080", new_string: "port = 9090" });
    return text(`The port in \`${file}\` is now 9090, answer ${index}.`);
  });
  const thread = scene.mention("change the port in config-0.toml to 9090");
  for (let request = 1; request <= REQUESTS; request++) {
    await thread.until((messages) => answers(messages).length === request);
    await untilIdle(scene.bot);
    if (request < REQUESTS) thread.reply(`now the same in config-${request}.toml`);
  }
  return scene.model.requests.slice(first);
}

const MAX_GREETINGS = 100;
const toolsSchema = z.object({ tools: z.array(z.object({ name: z.string(), description: z.string() })) });
/** Shipped extensions; each folder has the name of its tool. */
const EXTENSIONS = path.resolve(import.meta.dirname, "../../../wasm/examples");

/**
 * Extensions load after the start, so earlier requests have fewer tools. Returns the number of requests until they
 * appeared.
 */
async function untilToolsAreLoaded(scene: Scene): Promise<number> {
  const extensions = readdirSync(EXTENSIONS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const { model } = scene;
  model.script(() => text("Hello."));
  for (let asked = 0; asked < MAX_GREETINGS; asked++) {
    const greeted = scene.mention("hello", 2 + asked);
    await greeted.until((messages) => answers(messages).length > 0);
    const { tools } = toolsSchema.parse(model.requests.at(-1)?.body);
    const listed = tools.find(({ name }) => name === "tool_search")?.description ?? "";
    if (extensions.every(({ name }) => listed.includes(`- ${name}: `))) return model.requests.length;
  }
  throw new Error("the extensions do not load");
}
