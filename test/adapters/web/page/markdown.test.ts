import { describe, expect, test } from "vitest";
import { plainText, renderInline, renderMarkdown } from "../../../../src/adapters/web/page/text/markdown.ts";

describe("text from a model", () => {
  test.each([
    ["a script", "<script>alert(1)</script>"],
    ["a handler", "<img src=x onerror=alert(1)>"],
    ["HTML in a fence's language", '```"><img src=x onerror=alert(1)>\nx\n```'],
    ["HTML in code", "`<script>`"],
    ["HTML in a table", "| <b>a</b> |\n|---|\n| <iframe> |"],
    ["HTML in a link's title", '[a](https://x.example "<script>")'],
  ])("%s becomes no element", (_case, text) => {
    expect(renderMarkdown(text)).not.toMatch(/<(?:script|img|iframe|b)\b/iu);
  });

  test.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "/files/1",
    "//evil.example",
  ])("a link to %s is no link", (url) => {
    expect(renderMarkdown(`[a](${url}) <${url}> ${url}`)).not.toContain("<a ");
  });

  test("an image is fetched from nowhere: it is a link, if anything", () => {
    const html = renderMarkdown("![leak](https://evil.example/x.png?secret)");
    expect(html).not.toContain("<img");
    expect(html).toContain('href="https://evil.example/x.png?secret"');
  });

  test("a link to another thread stays on the page, and leads nowhere else", () => {
    expect(renderInline("[it](#web_1-a)")).toBe('<a href="#web_1-a">it</a>');
    expect(renderInline("[it](#/providers)")).toBe('<a href="#/providers">it</a>');
    expect(renderInline("[it](#a/../b)")).not.toContain("<a");
  });

  test("links open apart from the page and say nothing of it", () => {
    for (const text of ["[a](https://x.example)", "https://x.example", "<https://x.example>"]) {
      expect(renderMarkdown(text)).toContain('target="_blank" rel="noopener noreferrer nofollow"');
    }
  });

  test("file names are not taken for sites", () => {
    expect(renderMarkdown("see read.me and main.rs, ask ana@ops.example")).not.toContain("<a ");
  });

  test("a list of tasks has boxes in place of its marks", () => {
    const html = renderMarkdown("- [ ] later\n- [x] **done**\n- [y] words");
    expect(html).toContain('<li class="task">☐ later</li>');
    expect(html).toMatch(/<li class="task"><svg [^>]*aria-label="done">.*<strong>done<\/strong><\/li>/u);
    expect(html).toContain("<li>[y] words</li>");
  });

  test("nothing carries a style attribute, which the policy forbids; alignment is a class", () => {
    const html = renderMarkdown("| a | b |\n|:--|--:|\n| 1 | 2 |");
    expect(html).not.toContain("style=");
    expect(html).toContain('<td class="align-right">2</td>');
  });
});

describe("code", () => {
  test("a block can be copied, scrolled by keyboard, and has a name", () => {
    const html = renderMarkdown("```toml\nport = 1\n```");
    expect(html).toContain("data-copy");
    expect(html).toContain('<pre tabindex="0" role="region" aria-label="Code, toml"><code>port = 1\n</code></pre>');
  });

  test("a diff marks its lines as taken out and put in, beside their signs, and says how many there are", () => {
    const html = renderMarkdown("```diff\n@@ -1 +1,2 @@\n-a<b\n+b\n+c\n d\n\n```");
    expect(html).toContain("<del>-a&lt;b\n</del><ins>+b\n</ins><ins>+c\n</ins><span> d\n</span></code>");
    expect(html).toContain('<span class="hunk">@@ -1 +1,2 @@\n</span>');
    expect(html).toContain('aria-label="Changes: 2 added, 1 removed"');
  });

  test("an open fence of a text that still streams is code already", () => {
    expect(renderMarkdown("look:\n```js\nlet x")).toContain("<code>let x</code>");
  });
});

describe("signs", () => {
  test("are drawn and named, except in code", () => {
    expect(renderInline("✓ read")).toMatch(/^<svg class="sign done"[^>]* role="img" aria-label="done">.* read$/u);
    expect(renderInline("⚠\uFE0F careful")).not.toContain("\uFE0F");
    expect(renderMarkdown("`✓`")).toContain("<code>✓</code>");
  });

  test("are spoken as words", () => {
    expect(plainText("⏳ **build** · see [this](https://x.example)\n```\ncode\n```")).toBe(
      "working: build · see this code",
    );
    expect(plainText("Change a?\n```diff\n-1\n+2\n```")).toBe("Change a? Changes: 1 added, 1 removed.");
  });
});

test("what is spoken lacks the markup, and has all that only looks like it", () => {
  const text = "# Change `my_file.py` *now*:\nif a > b in issue #12, __init__ and a_b_c\n\n- **one**\n> two";
  expect(plainText(text)).toBe("Change my_file.py now: if a > b in issue #12, init and a_b_c one two");
});
