/** A process that makes a component with StarlingMonkey. Its arguments: the source, a WIT file and its world, the target. */
import { writeFileSync } from "node:fs";
import { componentize } from "@bytecodealliance/componentize-js";

const [, , sourcePath = "", witPath = "", worldName = "", target = ""] = process.argv;
const { component } = await componentize({ sourcePath, witPath, worldName });
writeFileSync(target, component);
