import { type Answer, answering } from "../answer.ts";
import { type Chart, drawChart, PALETTE } from "./draw.ts";
import { base64, encodePng } from "./png.ts";

function answer(input: string): Answer {
  const chart: Chart = JSON.parse(input);
  const { type, title = "", labels, series } = chart;
  const image = base64(encodePng(drawChart(chart), PALETTE));
  const said = title === "" ? "" : ` “${title}”`;
  return {
    text: `A ${type} chart${said} of ${series.map(({ name }) => name).join(", ")}, ${labels.length} values each.`,
    images: [{ name: "chart.png", mediaType: "image/png", base64: image }],
  };
}

export const tool = answering(answer);
