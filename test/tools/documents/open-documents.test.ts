import { expect, test } from "vitest";
import { archive } from "./build-documents.ts";
import { useShownDocument } from "./shown-document.ts";

const shown = useShownDocument();

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

test("read shows the values, comments and hidden sheets of an OpenDocument spreadsheet as those of a workbook", async () => {
  const cell = (attributes: string, inside = ""): string =>
    `<table:table-cell ${attributes}>${inside}</table:table-cell>`;
  const cells = [
    cell('office:value-type="percentage" office:value="0.155"'),
    cell('office:value-type="currency" office:value="9.5" office:currency="EUR"'),
    cell('office:value-type="time" office:time-value="PT40H30M00S"'),
    cell('office:value-type="date" office:date-value="2024-02-29T13:05:06"'),
    cell(
      'office:value-type="string"',
      `<office:annotation><dc:creator>Ann</dc:creator><dc:date>2024-01-01</dc:date><text:p>Why?</text:p><text:p>Really.</text:p></office:annotation><text:p>five</text:p>`,
    ),
  ];
  const sheet = openDocument(
    "spreadsheet",
    `<style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>
     <table:table table:name="T" table:style-name="ta1"><table:table-row table:number-rows-repeated="3"><table:table-cell/></table:table-row>
     <table:table-row>${cells.join("")}</table:table-row></table:table><table:table table:name="U" table:style-name="ta2"/>`,
  );
  expect((await shown(sheet)).split("\n").slice(0, -1)).toEqual([
    "## Sheet T",
    "",
    "(rows 1 to 3 are empty)",
    "15.5%,9.5 EUR,40:30:00,2024-02-29 13:05:06,five [comment: Ann: Why? Really.]",
    "",
    "## Sheet U (hidden)",
    "",
    "(empty)",
  ]);
});

test("read shows an OpenDocument presentation: hidden slides, notes where they are, described images", async () => {
  const notes = (text: string): string =>
    `<presentation:notes><draw:frame><draw:text-box>${text}</draw:text-box></draw:frame><text:p><text:page-number>&lt;number></text:page-number></text:p></presentation:notes>`;
  const slides = openDocument(
    "presentation",
    `<style:style style:name="dp2"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>
     <draw:page draw:style-name="dp1"><text:p>One</text:p>${notes("")}</draw:page>
     <draw:page draw:style-name="dp2"><text:p>Two</text:p><draw:frame><draw:image/><svg:title>A plan</svg:title></draw:frame>${notes("<text:p>Slowly.</text:p>")}</draw:page>`,
  );
  expect(await shown(slides)).toContain(
    "## Slide 1\n\nOne\n\n## Slide 2 (hidden)\n\nTwo\n\n[image: A plan]\n\nNotes: Slowly.\n[",
  );
});

test("read shows who commented an OpenDocument text, and where", async () => {
  const written = openDocument(
    "text",
    `<text:p>Two <office:annotation><dc:creator>Ann</dc:creator><dc:date>2024-01-01</dc:date><text:p>Or three?</text:p></office:annotation>nodes</text:p>`,
  );
  expect(await shown(written)).toContain("[comment 1]: Ann: Or three?\n\nTwo [comment 1]nodes\n[");
});

test("an OpenDocument file with a password is asked for without one", async () => {
  const locked = archive({
    mimetype: "application/vnd.oasis.opendocument.text",
    "META-INF/manifest.xml":
      "<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>",
    "content.xml": "\u0007",
  });
  expect(await shown(locked)).toContain("This document is protected with a password. Ask for it without one.");
});
