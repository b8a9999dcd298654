import { expect, test } from "vitest";
import { fileSession, text, useSandbox } from "../file-session.ts";
import { archive, paragraph, relations, word } from "./build-documents.ts";

const sandbox = useSandbox();

const row = (...cells: readonly string[]): string =>
  `<w:tr>${cells.map((cell) => `<w:tc>${cell}</w:tc>`).join("")}</w:tr>`;

async function shown(document: Uint8Array): Promise<string> {
  const session = fileSession(sandbox);
  session.put("attached", document);
  const lines = text(await session.run("read", { path: "attached" })).split("\n");
  return lines.map((line) => line.replace(/^\d+\t/, "")).join("\n");
}

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
      "",
      ",TRUE,#N/A,=SUM(A1:A2),in",
      "",
      "## Sheet Old (hidden)",
      "",
      "(empty)",
      "[This is the text of a workbook; write would replace the document by plain text.]",
    ].join("\n"),
  );
});

test("read shows a presentation's slides in their order, with their notes", async () => {
  const shape = (placeholder: string, ...texts: readonly string[]): string =>
    `<p:sp><p:nvSpPr><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:txBody>${texts.join("")}</p:txBody></p:sp>`;
  const line = (content: string, level = ""): string =>
    `<a:p>${level === "" ? "" : `<a:pPr lvl="${level}"/>`}<a:r><a:t>${content}</a:t></a:r></a:p>`;
  const document = archive({
    "_rels/.rels": relations({ a: ["officeDocument", "ppt/presentation.xml"] }),
    "ppt/presentation.xml":
      '<p:presentation><p:sldIdLst><p:sldId id="300" r:id="b"/><p:sldId id="256" r:id="a"/></p:sldIdLst></p:presentation>',
    "ppt/_rels/presentation.xml.rels": relations({
      a: ["slide", "slides/slide1.xml"],
      b: ["slide", "slides/slide2.xml"],
    }),
    "ppt/slides/slide1.xml": `<p:sld show="0">${shape("", line("Free text"))}</p:sld>`,
    "ppt/slides/slide2.xml": `<p:sld>${shape('<p:ph type="title"/>', line("Plan"))}${shape("<p:ph/>", line("one"), line("two", "1"))}
      ${shape('<p:ph type="sldNum"/>', line("1"))}<p:graphicFrame><a:tbl><a:tr><a:tc gridSpan="2">${line("wide")}</a:tc></a:tr>
      <a:tr><a:tc>${line("left")}</a:tc><a:tc>${line("right")}</a:tc></a:tr></a:tbl></p:graphicFrame></p:sld>`,
    "ppt/slides/_rels/slide2.xml.rels": relations({ n: ["notesSlide", "../notesSlides/notesSlide1.xml"] }),
    "ppt/notesSlides/notesSlide1.xml": `<p:notes>${shape('<p:ph type="body"/>', line("Speak slowly."))}</p:notes>`,
  });
  expect(await shown(document)).toBe(
    [
      "## Slide 1",
      "",
      "### Plan",
      "",
      "- one",
      "  - two",
      "",
      "| wide |  |",
      "| --- | --- |",
      "| left | right |",
      "",
      "Notes: Speak slowly.",
      "",
      "## Slide 2 (hidden)",
      "",
      "Free text",
      "[This is the text of a presentation; write would replace the document by plain text.]",
    ].join("\n"),
  );
});

function openDocument(kind: string, content: string): Uint8Array {
  return archive({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    "content.xml": `<office:document-content>${content}</office:document-content>`,
  });
}

test("read shows OpenDocument texts and spreadsheets", async () => {
  const style = `<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="i" style:num-suffix="." text:start-value="3"/></text:list-style>`;
  const written = openDocument(
    "text",
    `${style}<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes><text:h text:outline-level="2">Title</text:h>
     <text:p>a<text:s text:c="2"/>b <text:a xlink:href="https://example.org">c</text:a><text:note><text:note-citation>1</text:note-citation>
     <text:note-body><text:p>why</text:p></text:note-body></text:note></text:p>
     <text:list text:style-name="L"><text:list-item><text:p>x</text:p><text:list><text:list-item><text:p>y</text:p></text:list-item></text:list></text:list-item>
     <text:list-item><text:p>z</text:p></text:list-item></text:list>`,
  );
  expect(await shown(written)).toContain(
    ["## Title", "", "[^1]: why", "", "a  b [c](https://example.org)[^1]", "", "iii. x", "  - y", "iv. z"].join("\n"),
  );
  const sheet = openDocument(
    "spreadsheet",
    `<table:table table:name="T"><table:table-row><table:table-cell office:value="1.5"><text:p>1,50 €</text:p></table:table-cell>
     <table:table-cell table:number-columns-repeated="2"/><table:table-cell table:number-columns-repeated="2"><text:p>n</text:p></table:table-cell>
     <table:table-cell table:number-columns-repeated="16000"/></table:table-row>
     <table:table-row table:number-rows-repeated="1000000"><table:table-cell/></table:table-row></table:table>`,
  );
  expect(await shown(sheet)).toMatch(/^## Sheet T\n\n1\.5,,,n,n\n/);
});

test("a document that cannot be read says why, and what can be done", async () => {
  const older = Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0]);
  expect(await shown(older)).toContain("saved as .docx, .xlsx or .pptx");
  expect(await shown(word(paragraph("text")).subarray(0, 200))).toContain("This document is damaged");
  expect(await shown(archive({ "a.txt": "\0" }))).toContain("is a binary file");
});

test("a small document that would become endless is refused", async () => {
  const rows = '<row><c r="A1" t="s"><v>0</v></c><c t="s"><v>0</v></c></row>'.repeat(20_000);
  const shared = archive({
    "_rels/.rels": relations({ a: ["officeDocument", "xl/workbook.xml"] }),
    "xl/workbook.xml": '<workbook><sheet name="S" r:id="s"/></workbook>',
    "xl/_rels/workbook.xml.rels": relations({ s: ["worksheet", "s.xml"], t: ["sharedStrings", "t.xml"] }),
    "xl/t.xml": `<sst><si><t>${"x".repeat(30_000)}</t></si></sst>`,
    "xl/s.xml": `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
  });
  expect(await shown(shared)).toContain("too large to show");
  const depth = 20_000;
  const nested = word("<w:tbl><w:tr><w:tc>".repeat(depth) + paragraph("a|b") + "</w:tc></w:tr></w:tbl>".repeat(depth));
  expect(await shown(nested)).toBe(`a|b\n${NOTE}`);
  expect(await shown(word(""))).toBe(`(no text)\n${NOTE}`);
});
