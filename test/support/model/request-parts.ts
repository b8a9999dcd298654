import { z } from "zod";

const schema = z.object({
  system: z.array(z.object({ text: z.string() })),
  tools: z.array(z.object({ name: z.string() }).loose()).default([]),
});

/** The system prompt of a request in Anthropic's form, as one text. */
export function systemOf(body: unknown): string {
  return JSON.stringify(schema.parse(body).system);
}

/** Names of the tools that a request offers, in order. */
export function toolsOf(body: unknown): string[] {
  return schema.parse(body).tools.map(({ name }) => name);
}

const specs = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      input_schema: z.object({
        properties: z.record(z.string(), z.record(z.string(), z.unknown())),
        required: z.array(z.string()).default([]),
      }),
    }),
  ),
});

/** The tools that a request offers, in order, with their described arguments. */
export function specsOf(body: unknown) {
  return specs.parse(body).tools;
}

export interface RequestPart {
  readonly name: string;
  readonly bytes: number;
}

/** The parts of a request before its messages, with their size on the wire. */
export function partsOf(body: unknown): RequestPart[] {
  const { system, tools } = z.object({ system: z.array(z.unknown()), tools: z.array(z.unknown()) }).parse(body);
  const named = [...toolsOf(body), ...system.map((_part, index) => `system ${index + 1}`)];
  return [...tools, ...system].map((part, index) => {
    return { name: named[index] ?? "", bytes: Buffer.byteLength(JSON.stringify(part)) + 1 };
  });
}
