// Swaps a directory and a link to the outside, over and over, until its parent goes away.
import { renameSync } from "node:fs";
import path from "node:path";

const root = process.argv[2] ?? "";
const at = (name) => path.join(root, name);
process.on("disconnect", () => process.exit(0));
process.send?.("flipping");
const turn = () => {
  for (let round = 0; round < 200; round++) {
    renameSync(at("flip"), at("kept"));
    renameSync(at("link"), at("flip"));
    renameSync(at("flip"), at("link"));
    renameSync(at("kept"), at("flip"));
  }
  setImmediate(turn);
};
turn();
