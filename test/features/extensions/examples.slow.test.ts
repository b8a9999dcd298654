import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { inflateSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { textOf } from "../../../src/core/protocol/messages.ts";
import type { ToolResult } from "../../../src/core/protocol/tool-result.ts";
import { loadExtensions } from "../../../src/features/extensions/load-extensions.ts";
import { buildExamples, EXAMPLE_TOOLS } from "../../../wasm/build-examples.ts";
import { recordingPosts } from "../../support/database/recording-posts.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { toolContext } from "../../support/tool-context.ts";
import { useExtensionSandbox } from "./extension-session.ts";

const { sandbox, cacheDir } = useExtensionSandbox();
beforeAll(async () => {
  await buildExamples();
});

const SALES = `city;price;sold
Paris;10.5;1
"New; ""York""";20;2
Paris;0.1;3
Oslo;;10
`;

/** Runs one of the shipped tools over a file sales.csv. */
async function run(name: string, input: object, thread = recordingPosts().thread): Promise<ToolResult> {
  const sandboxRoot = path.join(tempDirectory(), "root");
  mkdirSync(sandboxRoot);
  writeFileSync(path.join(sandboxRoot, "sales.csv"), SALES);
  writeFileSync(
    path.join(sandboxRoot, "excel.csv"),
    Buffer.from("sep=;\r\nStadt;Preis\r\nK\xf6ln, Nord;5 \x80\r\n", "latin1"),
  );
  writeFileSync(
    path.join(sandboxRoot, "ids.csv"),
    '"id; one of 19 digits","bytes"\n1190000000000000001,123456789012345\n1190000000000000002,1,left over\n',
  );
  writeFileSync(path.join(sandboxRoot, "unicode.txt"), Buffer.from("\uFEFFStadt\tPreis\r\nKöln\t5 €\r\n", "utf16le"));
  const { tools, problems } = await loadExtensions({
    directories: [EXAMPLE_TOOLS],
    bindings: { cacheDir },
    sandbox,
    reserved: new Set(),
  });
  expect(problems).toEqual([]);
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool.execute(input, toolContext({ sandboxRoot, thread }), new AbortController().signal);
}

const queries = [
  {
    name: "everything",
    query: {},
    gives: ["| Paris | 10.5 | 1 |", '| New; "York" | 20 | 2 |', "| Oslo |  | 10 |", "4 rows"],
  },
  { name: "columns", query: { columns: ["sold", "city"] }, gives: ["| sold | city |", "| 1 | Paris |"] },
  {
    name: "a condition",
    query: { where: [{ column: "sold", is: ">", value: "2" }] },
    gives: ["| Oslo |  | 10 |", "2 rows"],
  },
  {
    name: "conditions",
    query: {
      where: [
        { column: "city", is: "contains", value: "par" },
        { column: "price", is: "!=", value: "0.10" },
      ],
    },
    gives: ["| Paris | 10.5 | 1 |", "1 row"],
  },
  {
    name: "groups",
    query: {
      group_by: ["city"],
      aggregates: [{ function: "sum", column: "price" }, { function: "count" }],
      sort_by: "sum(price)",
      descending: true,
    },
    gives: [
      '| city | sum(price) | count |\n| --- | --- | --- |\n| New; "York" | 20 | 1 |\n| Paris | 10.6 | 2 |\n| Oslo | 0 | 1 |',
    ],
  },
  {
    name: "all rows as one group",
    query: {
      aggregates: [
        { function: "avg", column: "sold" },
        { function: "max", column: "price" },
        { function: "min", column: "city" },
      ],
    },
    gives: ["| avg(sold) | max(price) | min(city) |", '| 4 | 20 | New; "York" |'],
  },
  {
    name: "a file of Excel",
    query: { file: "excel.csv" },
    gives: ["| Stadt | Preis |", "| Köln, Nord | 5 € |", "1 row"],
  },
  { name: "Unicode text of Excel", query: { file: "unicode.txt" }, gives: ["| Stadt | Preis |", "| Köln | 5 € |"] },
  {
    name: "numbers of many digits, a quoted header and cells beyond it",
    query: { file: "ids.csv", where: [{ column: "id; one of 19 digits", is: "=", value: "1190000000000000002" }] },
    gives: ["| id; one of 19 digits | bytes | column 3 |", "| 1190000000000000002 | 1 | left over |", "1 row"],
  },
  {
    name: "an exact sum of large numbers",
    query: { file: "ids.csv", aggregates: [{ function: "sum", column: "bytes" }] },
    gives: ["| 123456789012346 |"],
  },
  {
    name: "a limit",
    query: { sort_by: "sold", descending: true, limit: 1 },
    gives: ["| Oslo |  | 10 |", "4 rows, 3 of them not shown"],
  },
];

test.each(queries)("csv_query returns the rows: $name", async ({ query, gives }) => {
  const result = await run("csv_query", { file: "sales.csv", ...query });
  expect(result.isError).toBe(false);
  for (const part of gives) expect(textOf(result.content)).toContain(part);
});

const mistakes = [
  {
    name: "an unknown column",
    input: { file: "sales.csv", columns: ["town"] },
    says: "There is no column town. The columns are: city, price, sold.",
  },
  {
    name: "a sum of words",
    input: { file: "sales.csv", aggregates: [{ function: "sum", column: "city" }] },
    says: 'sum(city): "Paris" is not a number.',
  },
  { name: "a missing file", input: { file: "absent.csv" }, says: "absent.csv does not exist." },
  { name: "a file outside", input: { file: "../sales.csv" }, says: "outside the sandbox" },
];

test.each(mistakes)("csv_query reports to the model: $name", async ({ input, says }) => {
  const result = await run("csv_query", input);
  expect(result).toMatchObject({ isError: true, summary: "failed" });
  expect(textOf(result.content)).toContain(says);
});

/** The picture's size, and how many pixels are wholly of each of the colours that stand for a series. */
function seriesInk(png: Buffer): { readonly width: number; readonly height: number; readonly ink: number[] } {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const data = png.indexOf("IDAT");
  const rows = inflateSync(png.subarray(data + 4, data + 4 + png.readUInt32BE(data - 4)));
  const above = new Uint8Array(width);
  const ink: number[] = [];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const colour = ((above[x] ?? 0) + (rows[y * (width + 1) + 1 + x] ?? 0)) & 0xff;
      above[x] = colour;
      const series = colour / 15 - 2;
      if (series >= 0 && series % 1 === 0) ink[series] = (ink[series] ?? 0) + 1;
    }
  }
  return { width, height, ink };
}

test.each(["bar", "line"])("chart draws a %s chart as a valid image", async (type) => {
  const series = [
    { name: "Paris", values: [1, 4, 2] },
    { name: "Oslo", values: [-2, 3, 0.5] },
  ];
  const result = await run("chart", { type, title: "Größe", labels: ["Jan", "Feb", "März"], series });
  const [said, image] = result.content;
  expect(said).toEqual({ type: "text", text: `A ${type} chart “Größe” of Paris, Oslo, 3 values each.` });
  expect(image).toMatchObject({ type: "image", name: "chart.png", mediaType: "image/png" });
  const { width, height, ink } = seriesInk(Buffer.from(image?.type === "image" ? image.data : "", "base64"));
  expect([width, height, ink.length]).toEqual([800, 450, 2]);
  expect(Math.min(...ink)).toBeGreaterThan(500);
});

test("the height of a bar is proportional to its value", async () => {
  const inkOf = async (value: number): Promise<number> => {
    const result = await run("chart", {
      type: "bar",
      labels: ["a", "b"],
      series: [{ name: "", values: [100, value] }],
    });
    const [, image] = result.content;
    return seriesInk(Buffer.from(image?.type === "image" ? image.data : "", "base64")).ink[0] ?? 0;
  };
  const [none, half, whole] = [await inkOf(0), await inkOf(50), await inkOf(100)];
  expect((half - none) / (whole - none)).toBeCloseTo(0.5, 2);
});

test("people see the chart in the thread once, even if the call is repeated", async () => {
  const { thread, posts, files } = recordingPosts();
  const input = { type: "bar", labels: ["a"], series: [{ name: "Paris", values: [1] }] };
  const result = await run("chart", input, thread);
  await run("chart", input, thread);
  expect([...posts.keys()]).toEqual(["media:call"]);
  const [file, ...more] = files();
  expect(more).toEqual([]);
  expect(file).toMatchObject({ name: "chart.png", mediaType: "image/png" });
  const image = result.content.find(({ type }) => type === "image");
  expect(image).toMatchObject({ data: Buffer.from(file?.data ?? []).toString("base64") });
  expect(textOf(result.content)).toContain("`chart.png` can be seen in the thread.");
});

test("chart reports to the model if values and labels differ in number", async () => {
  const result = await run("chart", { type: "bar", labels: ["a"], series: [{ name: "Paris", values: [1, 2] }] });
  expect(textOf(result.content)).toBe("Paris has 2 values for 1 labels; give as many.");
  expect(result.isError).toBe(true);
});
