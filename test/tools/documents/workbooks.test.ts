import { expect, test } from "vitest";
import { archive, relations } from "./build-documents.ts";
import { useShownDocument } from "./shown-document.ts";

const shown = useShownDocument();

interface Workbook {
  readonly rows: string;
  /** What the sheet has besides its rows. */
  readonly after?: string;
  readonly before?: string;
  readonly main?: string;
  readonly styles?: string;
  readonly relations?: Readonly<Record<string, readonly [type: string, target: string]>>;
  readonly files?: Readonly<Record<string, string>>;
}

/** A workbook with one sheet. */
function workbook(of: Workbook): Uint8Array {
  const { rows, before = "", after = "", main = "", styles = "", files = {} } = of;
  return archive({
    "_rels/.rels": relations({ a: ["officeDocument", "xl/workbook.xml"] }),
    "xl/workbook.xml": `<workbook><sheets><sheet name="S" r:id="s"/></sheets>${main}</workbook>`,
    "xl/_rels/workbook.xml.rels": relations({
      s: ["worksheet", "s.xml"],
      u: ["styles", "styles.xml"],
      p: ["person", "people.xml"],
    }),
    "xl/_rels/s.xml.rels": relations(of.relations ?? {}),
    "xl/styles.xml": `<styleSheet>${styles}</styleSheet>`,
    "xl/s.xml": `<worksheet>${before}<sheetData>${rows}</sheetData>${after}</worksheet>`,
    ...files,
  });
}

async function rowsOf(of: Workbook): Promise<string[]> {
  const lines = (await shown(workbook(of))).split("\n");
  expect(lines.slice(0, 2)).toEqual(["## Sheet S", ""]);
  return lines.slice(2, -1);
}

const formats = [
  { format: "[h]:mm", value: "1.6875", text: "40:30:00" },
  { format: "[mm]:ss", value: "-0.0625", text: "-01:30:00" },
  { format: "0.0%", value: "0.155", text: "15.5%" },
  { format: "#,##0.00 [$€-407]", value: "1234.5", text: "1234.5 €" },
  { format: "&quot;$&quot;#,##0_);[Red](&quot;$&quot;#,##0)", value: "-12", text: "-12 $" },
  { format: "#,##0 &quot;CHF&quot;", value: "12", text: "12 CHF" },
  { format: "[$-409]mmm yy", value: "45000", text: "2023-03-15" },
  { format: "00000", value: "1234", text: "01234" },
  { format: "0.0 &quot;days&quot;", value: "2.5", text: "2.5" },
  { format: "[Red]0;[$-407]General", value: "7", text: "7" },
];

test.each(formats)("a cell with $value in the format $format is shown as $text", async ({ format, value, text }) => {
  const styles = `<numFmts><numFmt numFmtId="170" formatCode="${format}"/></numFmts><cellXfs><xf numFmtId="170"/></cellXfs>`;
  expect(await rowsOf({ styles, rows: `<row><c s="0"><v>${value}</v></c></row>` })).toEqual([text]);
});

test("built-in formats show percentages and durations", async () => {
  const styles = '<cellXfs><xf numFmtId="10"/><xf numFmtId="46"/></cellXfs>';
  const rows = '<row><c s="0"><v>0.07</v></c><c s="1"><v>1.5</v></c></row>';
  expect(await rowsOf({ styles, rows })).toEqual(["7%,36:00:00"]);
});

test("a formula whose value is still to be calculated is shown instead of the 0 that stands for it", async () => {
  const rows = "<row><c><f>A2+1</f><v>0</v></c><c><f>A3</f><v>5</v></c><c><v>0</v></c></row>";
  expect(await rowsOf({ rows })).toEqual(["0,5,0"]);
  expect(await rowsOf({ rows, main: '<calcPr fullCalcOnLoad="1"/>' })).toEqual(["=A2+1,5,0"]);
});

test("empty rows are told, so that rows can be counted", async () => {
  const row = (number: number): string => `<row r="${number}"><c r="A${number}"><v>${number}</v></c></row>`;
  expect(await rowsOf({ rows: [3, 4, 6, 9].map(row).join("") })).toEqual([
    "(rows 1 to 2 are empty)",
    "3",
    "4",
    "(row 5 is empty)",
    "6",
    "(rows 7 to 8 are empty)",
    "9",
  ]);
});

test("hidden rows and columns are shown, and told to be hidden", async () => {
  const row = (number: number, hidden: number): string => `<row r="${number}" hidden="${hidden}"><c><v>1</v></c></row>`;
  const before =
    '<cols><col min="2" max="3" hidden="1"/><col min="4" max="4" hidden="1"/><col min="28" max="28" hidden="1"/></cols>';
  const rows = row(1, 0) + row(2, 1) + row(3, 1) + row(4, 0) + row(5, 1);
  expect((await rowsOf({ before, rows })).slice(5)).toEqual([
    "[Hidden rows: 2 to 3, 5]",
    "[Hidden columns: B to D, AB]",
  ]);
});

test("links of cells are shown with their addresses, unless the cell has the address itself", async () => {
  const cell = (reference: string, text: string): string => `<c r="${reference}" t="str"><v>${text}</v></c>`;
  const rows = `<row r="1">${cell("A1", "ticket")}${cell("B1", "see example.org/b")}${cell("C1", "a@example.org")}</row>`;
  const link = (reference: string, id: string): string => `<hyperlink ref="${reference}" r:id="${id}"/>`;
  const after = `<hyperlinks>${link("A1", "a")}${link("B1", "b")}${link("C1", "c")}</hyperlinks>`;
  const targets = {
    a: ["hyperlink", "https://example.org/a"],
    b: ["hyperlink", "https://example.org/b/"],
    c: ["hyperlink", "https://a@example.org"],
  } as const;
  expect(await rowsOf({ rows, after, relations: targets })).toEqual([
    "[ticket](https://example.org/a),see example.org/b,a@example.org",
  ]);
});

test("comments, texts of shapes and titles of charts follow the rows of a sheet", async () => {
  const files = {
    "xl/comments.xml": `<comments><authors><author>Ann</author><author>tc</author></authors><commentList>
      <comment ref="B2" authorId="0"><text><r><rPr><b/></rPr><t>Ann:</t></r><r><t> why </t></r><r><t>5?</t></r></text></comment>
      <comment ref="C3" authorId="0"><text><t>Late</t></text></comment></commentList></comments>`,
    "xl/drawing.xml": `<xdr:wsDr><xdr:sp><xdr:txBody><a:p><a:r><a:t>Read me</a:t></a:r></a:p></xdr:txBody></xdr:sp>
      <xdr:graphicFrame><c:chart r:id="c"/></xdr:graphicFrame></xdr:wsDr>`,
    "xl/_rels/drawing.xml.rels": relations({ c: ["chart", "chart.xml"] }),
    "xl/chart.xml":
      '<c:chart><c:title><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:title><c:ser><c:val><c:pt idx="0"><c:v>1</c:v></c:pt></c:val></c:ser></c:chart>',
  };
  const targets = { c: ["comments", "comments.xml"], d: ["drawing", "drawing.xml"] } as const;
  const rows = "<row><c><v>5</v></c></row>";
  expect(await rowsOf({ rows, files, relations: targets })).toEqual([
    "5",
    "[comment B2]: Ann: why 5?",
    "[comment C3]: Ann: Late",
    "Read me",
    "",
    "[chart: Sales]",
  ]);
  const thread = {
    ...files,
    "xl/people.xml": '<personList><person displayName="Bo" id="{7}"/></personList>',
    "xl/thread.xml":
      '<ThreadedComments><threadedComment ref="B2" personId="{7}"><text>Done.</text></threadedComment></ThreadedComments>',
  };
  const both = { ...targets, t: ["threadedComment", "thread.xml"] } as const;
  expect(await rowsOf({ rows, files: thread, relations: both })).toContain("[comment B2]: Bo: Done.");
});

test("a line that is too long to be shown at once goes on in the next one", async () => {
  const text = `${"a".repeat(1_997)}😀${"b".repeat(3_000)}`;
  const lines = await rowsOf({ rows: `<row><c t="str"><v>${text}</v></c></row>` });
  expect(lines.map((line) => line.length)).toEqual([1_998, 1_999, 1_006]);
  expect(
    lines
      .map((line) => line.replace(/^…|…$/g, ""))
      .join("")
      .replaceAll("…", ""),
  ).toBe(text);
});

test("a workbook in Excel's binary format is asked for in the other one", async () => {
  const binary = archive({
    "_rels/.rels": relations({ a: ["officeDocument", "xl/workbook.bin"] }),
    "xl/workbook.bin": "",
  });
  expect(await shown(binary)).toContain("Ask for it saved as .xlsx.");
});
