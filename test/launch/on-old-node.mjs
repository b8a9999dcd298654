import { onSupportedNode } from "../../src/launch/supported-node.mjs";

/** Behaves like a launcher under an old Node. Arguments: the project's directory, then what the right Node must run. */
const [root, ...argv] = process.argv.slice(2);
const versions = { ...process.versions, node: "20.20.2" };
const old = { versions: { value: versions }, execArgv: { value: [] }, argv: { value: ["node", ...argv] } };
await onSupportedNode(Object.create(process, old), root);
process.stdout.write("went on in the old Node");
