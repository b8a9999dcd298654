import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { CATALOG } from "../../src/core/providers/catalog.ts";

const DATA = "src/core/providers/models/known-models.json";
/** Maximum US dollars per million tokens; a higher figure must be in another unit. */
const DEAREST = 700;
/** Maximum ratio of any provider's cache or output price to its input price. */
const MAX_TIMES_INPUT = 13;

const usd = z.union([z.array(z.number().min(0)).length(2), z.array(z.number().min(0)).length(4), z.null()]);
const modelSchema = z.strictObject({
  window: z.int().min(2_000).max(20_000_000),
  flatTo: z.int().min(2_000).optional(),
  output: z.int().min(1_000),
  usd,
  temperature: z.literal(false).optional(),
  note: z.string().min(10).optional(),
});
type Model = z.infer<typeof modelSchema>;
const listedSchema = z.strictObject({
  source: z.string().regex(/^(https:\/\/|src\/)/),
  list: z.string().min(10),
  asOf: z.iso.date(),
  models: z.record(z.string(), modelSchema),
});
const providerSchema = z.union([
  listedSchema,
  z.strictObject({ as: z.string() }),
  z.strictObject({ local: z.literal(true) }),
  z.strictObject({ unknown: z.string().min(10) }),
]);
const dataSchema = z.record(z.string(), providerSchema);

/**
 * Checks that the model data are dated and sourced, cover every provider and every shipped default, and are plausible.
 */
export function modelProblems(root: string): string[] {
  return problemsOf(JSON.parse(readFileSync(path.join(root, DATA), "utf8")));
}

export function problemsOf(data: unknown): string[] {
  const parsed = dataSchema.safeParse(data);
  if (!parsed.success)
    return parsed.error.issues.map(({ path: at, message }) => `${DATA}: ${at.join(".")}: ${message}`);
  const known = parsed.data;
  const missing = CATALOG.filter(({ id }) => known[id] === undefined).map(({ id }) => `${id} is missing`);
  const problems = Object.entries(known).flatMap(([id, provider]) => {
    if ("as" in provider && !("models" in (known[provider.as] ?? {})))
      return [`${id}: there is no list of ${provider.as}`];
    if (!("models" in provider)) return [];
    return Object.entries(provider.models).flatMap(([name, model]) =>
      implausible(model).map((problem) => `${id}/${name}: ${problem}`),
    );
  });
  return [...missing, ...problems, ...defaultProblems(known)].map((problem) => `${DATA}: ${problem}`);
}

function implausible({ window, flatTo, output, usd: rates }: Model): string[] {
  const [input = 0, out = 0, read = input, write = input] = rates ?? [];
  return [
    ...(flatTo !== undefined && flatTo >= window ? ["flatTo is the whole window"] : []),
    ...(output > window ? ["it writes more than it reads"] : []),
    ...(Math.max(input, out) > DEAREST ? [`a price above ${DEAREST} per million`] : []),
    ...(out > input * MAX_TIMES_INPUT && input > 0 ? ["its output costs too many times its input"] : []),
    ...(read > input ? ["reading the cache costs more than input"] : []),
    ...(write > input * 2 ? ["writing the cache costs more than twice the input"] : []),
  ];
}

/** Default models need known prices, so that a limit in dollars works if only a key is set. */
function defaultProblems(known: z.infer<typeof dataSchema>): string[] {
  return CATALOG.flatMap(({ id, defaultModel }) => {
    if (defaultModel === null) return [];
    const provider = known[id];
    const model = provider !== undefined && "models" in provider ? provider.models[defaultModel] : undefined;
    if (model === undefined) return [`${id}: its default ${defaultModel} is missing`];
    return model.usd === null ? [`${id}: its default ${defaultModel} has no price`] : [];
  });
}
