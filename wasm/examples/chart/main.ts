import { type Chart, drawChart, PALETTE } from "../../../src/features/usage/chart/draw.ts";
import { encodePng } from "../../../src/features/usage/chart/png.ts";
import { type Answer, answering, Mistake } from "../answer.ts";
import { base64 } from "./base64.ts";

/** `input` has the format described in tool.json. */
function answer(input: string): Answer {
  const chart: Chart = JSON.parse(input);
  const { type, title = "", labels, series } = chart;
  for (const { name, values } of series) {
    if (values.length !== labels.length) {
      throw new Mistake(`${name} has ${values.length} values for ${labels.length} labels; give as many.`);
    }
  }
  const image = base64(encodePng(drawChart(chart), PALETTE));
  const said = title === "" ? "" : ` “${title}”`;
  return {
    text: `A ${type} chart${said} of ${series.map(({ name }) => name).join(", ")}, ${labels.length} values each.`,
    images: [{ name: "chart.png", mediaType: "image/png", base64: image }],
  };
}

export const tool = answering(answer);
