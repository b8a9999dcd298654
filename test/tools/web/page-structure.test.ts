import { expect, test } from "vitest";
import { text, useSandbox } from "../file-session.ts";
import { fetchSession, startSite } from "../network/fetch-session.ts";

const sandbox = useSandbox();

const figure = "<figure><header><h2>A figure</h2></header>shows<footer>source</footer></figure>";
const structures = [
  {
    name: "whose main part lies deep, with headings and footers within",
    html: `${"<div>".repeat(8)}<h1>Site</h1><main><p>before</p>${figure}<p>after</p></main>${"</div>".repeat(8)}`,
    shows: "before\n\n## A figure\n\nshows\n\nafter",
  },
  {
    name: "with a form around everything",
    html: "<p>cookies</p><form><h1>Report</h1><p>All is well.</p></form>",
    shows: "cookies\n\n# Report\n\nAll is well.",
  },
  {
    name: "with a note in its main part",
    html: "<aside>menu</aside><main><p>text</p><aside><p>a note</p></aside></main>",
    shows: "text\n\na note",
  },
  {
    name: "with several main parts",
    html: "<p>top</p><main>one</main><main>two</main><p>end</p>",
    shows: "one\n\ntwo",
  },
  {
    name: "whose comments and scripts hold tags",
    html: '<!-- <main> --><p>all</p><SCRIPT>"<main>"</SCRIPT><style>/* </main> */</style><p>of it</p>',
    shows: "all\n\nof it",
  },
  { name: "with an empty main part", html: "<main></main><p>all of it</p>", shows: "all of it" },
  { name: "whose main part does not end", html: "<p>top</p><main><p>one</p><p>two", shows: "one\n\ntwo" },
  {
    name: "whose main part is only a small part of it",
    html: `<p>${"the text ".repeat(50)}</p><main>share</main>`,
    shows: `${"the text ".repeat(50).trim()}\n\nshare`,
  },
  {
    name: "that shows its text without scripts",
    html: "<script type='text/template'><p>text</p></script><noscript><p>text</p></noscript>",
    shows: "text",
  },
  {
    name: "that is positioned over itself, with tabs and hidden parts",
    html:
      '<div style="position: absolute"><p>one</p><div role="tabpanel" hidden>two</div>' +
      '<p style="color: red; display:none">three</p><p hidden>four</p><p hidden="until-found">five</p></div>',
    shows: "one\n\ntwo\n\nfive",
  },
  {
    name: "with rows outside a table",
    html: "<tr><th>key</th><td>value</td></tr><p>after</p>",
    shows: "| key | value |\n| --- | --- |\n\nafter",
  },
];

test.each(structures)("a page $name is shown without loss", async ({ html, shows }) => {
  const site = await startSite((_, response) => response.setHeader("content-type", "text/html").end(html));
  const result = await fetchSession(sandbox, { sites: [site] }).fetch(site.at("page.example"));
  expect(text(result).split("\n\n").slice(1).join("\n\n")).toBe(shows);
});
