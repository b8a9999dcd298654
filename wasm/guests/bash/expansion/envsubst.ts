import { utf8Bytes } from "../../runtime/text-encoding.ts";
import { pipedBytes, Refusal, textCommand } from "../text/command.ts";

const REFERENCE = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g;

/** Replaces references to exported variables in standard input; its operand may name which. */
export const ENVSUBST = textCommand(
  "envsubst",
  { flags: "v", long: { variables: "v" }, bytes: true },
  async ({ flags, operands: [format, ...others], context }) => {
    if (others.length > 0) throw new Refusal("too many arguments");
    const named = format === undefined ? null : new Set(namesIn(format));
    if (flags.has("v")) return [...(named ?? [])].map((name) => `${name}\n`).join("");
    const variables = context.exportedEnv ?? {};
    return pipedBytes(context).replace(REFERENCE, (reference, bare: string | undefined, braced: string | undefined) => {
      const name = bare ?? braced ?? "";
      return named === null || named.has(name) ? utf8Bytes(variables[name] ?? "") : reference;
    });
  },
);

function namesIn(text: string): string[] {
  return Array.from(text.matchAll(REFERENCE), ([, bare, braced]) => bare ?? braced ?? "");
}
