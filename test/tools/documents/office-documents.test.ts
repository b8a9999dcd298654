import { expect, test } from "vitest";
import { archive, paragraph, relations, word } from "./build-documents.ts";
import { useShownDocument } from "./shown-document.ts";

const shown = useShownDocument();

const row = (...cells: readonly string[]): string =>
  `<w:tr>${cells.map((cell) => `<w:tc>${cell}</w:tc>`).join("")}</w:tr>`;

const NOTE = "[This is the text of a Word document; write would replace the document by plain text.]";

test("read shows a Word document as Markdown: headings, lists, links, tables, notes and comments", async () => {
  const numbering = `<w:numbering>
    <w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
      <w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl></w:abstractNum>
    <w:abstractNum w:abstractNumId="8"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
    <w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>
    <w:num w:numId="3"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>
    </w:numbering>`;
  const item = (list: number, level: number): string =>
    `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr>`;
  const document = word(
    paragraph("Runbook", '<w:pStyle w:val="berschrift1"/>') +
      paragraph("Stop &lt;all&gt; &amp; wait &#x2014; it takes &#8364; 5", "<w:tabs><w:tab/></w:tabs>") +
      paragraph("first", item(1, 0)) +
      paragraph("inner", item(1, 1)) +
      paragraph("second", item(1, 0)) +
      paragraph("point", item(2, 0)) +
      paragraph("anew", item(3, 0)) +
      `<w:p><w:hyperlink r:id="link"><w:r><w:t>the</w:t><w:tab/><w:t>page</w:t></w:r></w:hyperlink>
        <w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:commentReference w:id="0"/></w:r></w:p>
      <w:tbl>${row(paragraph("Host"), paragraph("A|B"))}${row(paragraph("db1"), paragraph("up") + paragraph("busy"))}</w:tbl>`,
    {
      "word/_rels/document.xml.rels": relations({
        link: ["hyperlink", "https://example.org/a?b=1&amp;c=2"],
        styles: ["styles", "styles.xml"],
        numbering: ["numbering", "numbering.xml"],
        notes: ["footnotes", "footnotes.xml"],
        comments: ["comments", "../word/comments.xml"],
      }),
      "word/styles.xml": '<w:styles><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style></w:styles>',
      "word/numbering.xml": numbering,
      "word/footnotes.xml": `<w:footnotes><w:footnote w:id="0" w:type="separator">${paragraph("---")}</w:footnote>
        <w:footnote w:id="2">${paragraph("since May")}</w:footnote></w:footnotes>`,
      "word/comments.xml": `<w:comments><w:comment w:id="0" w:author="Ann">${paragraph("Really?")}</w:comment></w:comments>`,
    },
  );
  expect(await shown(document)).toBe(
    [
      "# Runbook",
      "",
      "Stop <all> & wait — it takes € 5",
      "",
      "1. first",
      "  1.a) inner",
      "2. second",
      "- point",
      "5. anew",
      "",
      "[the\tpage](https://example.org/a?b=1&c=2)[^2][comment 0]",
      "",
      "| Host | A\\|B |",
      "| --- | --- |",
      "| db1 | up<br>busy |",
      "",
      "[^2]: since May",
      "",
      "[comment 0]: Ann: Really?",
      NOTE,
    ].join("\n"),
  );
});

test("read shows what a Word document's reader sees: no deleted, moved or hidden text, and nothing twice", async () => {
  const document = word(
    `<w:p><w:r><w:t>seen</w:t></w:r><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>
      <w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>
      <w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t> too</w:t></w:r><w:r><w:instrText>PAGE</w:instrText></w:r>
      <mc:AlternateContent><mc:Choice><w:r><w:t> once</w:t></w:r></mc:Choice><mc:Fallback><w:r><w:t>twice</w:t></w:r></mc:Fallback></mc:AlternateContent>
      <w:r><w:drawing><wp:docPr descr="a&#10;plan"/></w:drawing></w:r></w:p>
      <w:p w:note="a > b"><w:r><w:t><![CDATA[x < y]]></w:t><!-- <w:t>comment</w:t> --></w:r></w:p>`,
  );
  expect(await shown(document)).toBe(`seen too once[image: a plan]\n\nx < y\n${NOTE}`);
});

test("read shows a workbook as CSV: shared texts, numbers, dates, truth, errors and formulas without a value", async () => {
  const cells = (values: readonly string[]): string => `<row>${values.join("")}</row>`;
  const document = archive({
    "_rels/.rels": relations({ a: ["officeDocument", "xl/workbook.xml"] }),
    "xl/workbook.xml": `<workbook><sheets><sheet name="Costs" sheetId="9" r:id="s1"/>
      <sheet name="Old" state="hidden" sheetId="3" r:id="s2"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relations({
      s1: ["worksheet", "worksheets/sheet1.xml"],
      s2: ["worksheet", "worksheets/sheet2.xml"],
      t: ["sharedStrings", "sharedStrings.xml"],
      u: ["styles", "styles.xml"],
    }),
    "xl/sharedStrings.xml":
      '<sst><si><t>Rent, flat</t></si><si><r><t>say </t></r><r><t>"hi"</t></r><rPh><t>unsaid</t></rPh></si></sst>',
    "xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="[$-409]d/m/yy"/><numFmt numFmtId="171" formatCode="0.0&quot; days&quot;"/></numFmts>
      <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/><xf numFmtId="170"/><xf numFmtId="171"/><xf numFmtId="20"/></cellXfs></styleSheet>`,
    "xl/worksheets/sheet1.xml": `<worksheet><sheetData>
      ${cells(['<c r="A1" t="s"><v>0</v></c>', '<c r="C1" t="s"><v>1</v></c>', '<c r="D1"><v>0.30000000000000004</v></c>'])}
      ${cells(['<c s="1"><v>45292.75</v></c>', '<c s="2"><v>45292</v></c>', '<c s="3"><v>2.5</v></c>', '<c s="4"><v>0.25</v></c>'])}
      <row r="9"><c r="B9" t="b"><v>1</v></c><c t="e"><v>#N/A</v></c><c><f>SUM(A1:A2)</f></c><c t="inlineStr"><is><t>in</t></is></c></row>
      </sheetData></worksheet>`,
    "xl/worksheets/sheet2.xml": "<worksheet><sheetData/></worksheet>",
  });
  expect(await shown(document)).toBe(
    [
      "## Sheet Costs",
      "",
      '"Rent, flat",,"say ""hi""",0.3',
      "2024-01-01 18:00:00,2024-01-01,2.5,06:00:00",
      "(rows 3 to 8 are empty)",
      ",TRUE,#N/A,=SUM(A1:A2),in",
      "",
      "## Sheet Old (hidden)",
      "",
      "(empty)",
      "[This is the text of a workbook; write would replace the document by plain text.]",
    ].join("\n"),
  );
});

test("read shows what a Word document has besides its text: headers, charts, and links of notes", async () => {
  const chart = "<c:chart><c:title><a:p><a:r><a:t>Load</a:t></a:r></a:p></c:title></c:chart>";
  const link = '<w:hyperlink r:id="a"><w:r><w:t>source</w:t></w:r></w:hyperlink>';
  const document = word(
    `${paragraph("Sizes")}<w:p><w:r><w:t>10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>-6</w:t></w:r><w:r><w:t>6</w:t></w:r></w:p>
     <w:p><w:r><w:drawing><c:chart r:id="c"/></w:drawing></w:r></w:p>`,
    {
      "word/_rels/document.xml.rels": relations({
        a: ["hyperlink", "https://example.org/wrong"],
        b: ["footnotes", "footnotes.xml"],
        c: ["chart", "chart.xml"],
        d: ["header", "header1.xml"],
        e: ["header", "header2.xml"],
        f: ["footer", "footer1.xml"],
      }),
      "word/chart.xml": chart,
      "word/footnotes.xml": `<w:footnotes><w:footnote w:id="2"><w:p>${link}</w:p></w:footnote></w:footnotes>`,
      "word/_rels/footnotes.xml.rels": relations({ a: ["hyperlink", "https://example.org/right"] }),
      "word/header1.xml": `<w:hdr>${paragraph("Draft")}</w:hdr>`,
      "word/header2.xml": `<w:hdr>${paragraph("Draft")}</w:hdr>`,
      "word/footer1.xml": `<w:ftr><w:p><w:r><w:t>left</w:t><w:ptab/><w:t>right</w:t></w:r></w:p>${paragraph("below")}</w:ftr>`,
    },
  );
  expect((await shown(document)).split("\n\n").slice(1)).toEqual([
    "10⁻⁶6",
    "[chart: Load]",
    "[^2]: [source](https://example.org/right)",
    "[header]: Draft",
    `[footer]: left\tright / below\n${NOTE}`,
  ]);
});

test("a document that cannot be read says why, and what can be done", async () => {
  const older = Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0]);
  expect(await shown(older)).toContain("saved as .docx, .xlsx or .pptx");
  expect(await shown(word(paragraph("text")).subarray(0, 200))).toContain("This document is damaged");
  expect(await shown(archive({ "a.txt": "\0" }))).toContain("is a binary file");
});

test("a small document that would become endless has an end", async () => {
  const rows = '<row><c r="A1" t="s"><v>0</v></c><c t="s"><v>0</v></c></row>'.repeat(20_000);
  const shared = archive({
    "_rels/.rels": relations({ a: ["officeDocument", "xl/workbook.xml"] }),
    "xl/workbook.xml": '<workbook><sheet name="S" r:id="s"/></workbook>',
    "xl/_rels/workbook.xml.rels": relations({ s: ["worksheet", "s.xml"], t: ["sharedStrings", "t.xml"] }),
    "xl/t.xml": `<sst><si><t>${"x".repeat(30_000)}</t></si></sst>`,
    "xl/s.xml": `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
  });
  const total = Number(/Lines 1–\d+ of (\d+)/.exec(await shown(shared))?.[1]);
  expect(await shown(shared, total)).toContain("[The rest of this document is too large to be shown.]");
  const depth = 20_000;
  const nested = word("<w:tbl><w:tr><w:tc>".repeat(depth) + paragraph("a|b") + "</w:tc></w:tr></w:tbl>".repeat(depth));
  expect(await shown(nested)).toBe(`a|b\n${NOTE}`);
  expect(await shown(word(""))).toBe(`(no text)\n${NOTE}`);
});
