import { readFileSync } from "node:fs";
import path from "node:path";
import matter from "gray-matter";
import { z } from "zod";

/** The files that build and run the program in containers, as their tools read them. */

export const ROOT = path.resolve(import.meta.dirname, "../../..");

export const readProjectFile = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");

/** Lines that are neither empty nor comments. */
export function linesOf(file: string): string[] {
  return readProjectFile(file)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The instructions of each stage, including its FROM. */
export function dockerStages(): Instruction[][] {
  const text = linesOf("Dockerfile").join("\n").replaceAll("\\\n", " ");
  const stages: Instruction[][] = [];
  for (const line of text.split("\n")) {
    const [, name = "", rest = ""] = /^([A-Z]+)\s+(.*)$/u.exec(line) ?? [];
    if (name === "FROM") stages.push([]);
    stages.at(-1)?.push({ name, text: rest });
  }
  return stages;
}

/** The image's properties, according to its last stage. */
export function imageOf(stage: readonly Instruction[]) {
  const texts = (name: string) => stage.filter((one) => one.name === name).map(({ text }) => text);
  const only = (name: string) => z.tuple([z.string()]).parse(texts(name))[0];
  const [, healthCommand = ""] = /CMD (\[.*\])$/u.exec(only("HEALTHCHECK")) ?? [];
  const words = z.array(z.string());
  return {
    user: only("USER"),
    volume: only("VOLUME"),
    env: Object.fromEntries(texts("ENV").flatMap((text) => text.split(/\s+/u).map((pair) => splitAt(pair, "=")))),
    entry: words.parse(JSON.parse(only("ENTRYPOINT"))),
    healthCommand: words.parse(JSON.parse(healthCommand)),
    copies: texts("COPY"),
    commands: texts("RUN"),
    ports: only("EXPOSE").split(" ").map(Number),
  };
}

function splitAt(pair: string, mark: string): [string, string] {
  const at = pair.indexOf(mark);
  return [pair.slice(0, at), pair.slice(at + mark.length)];
}

const texts = z.record(z.string(), z.string());
const conditions = z.record(z.string(), z.object({ condition: z.string() }));
const serviceSchema = z.looseObject({
  build: z.string().optional(),
  configs: z.array(z.object({ source: z.string(), target: z.string() })).default([]),
  depends_on: conditions.default({}),
  deploy: z.object({ replicas: z.number() }).optional(),
  environment: texts.default({}),
  healthcheck: z.looseObject({}).optional(),
  ports: z.array(z.string()).default([]),
  read_only: z.boolean().default(false),
  stop_grace_period: z.string().optional(),
  volumes: z.array(z.string()).default([]),
});
const composeSchema = z.object({
  services: z.record(z.string(), serviceSchema),
  volumes: z.record(z.string(), z.null()),
  configs: z.record(z.string(), z.object({ content: z.string().optional(), file: z.string().optional() })),
});

export function compose() {
  return composeSchema.parse(yaml(readProjectFile("compose.yaml")));
}

const probe = z.looseObject({ httpGet: z.object({ path: z.string(), port: z.string() }) });
const containerSchema = z.looseObject({
  envFrom: z.array(z.object({ secretRef: z.object({ name: z.string() }) })),
  env: z.array(z.object({ name: z.string(), value: z.string() })),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  lifecycle: z.object({ preStop: z.object({ exec: z.object({ command: z.array(z.string()) }) }) }),
  securityContext: z.looseObject({}),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })),
});
const podSchema = z.looseObject({
  enableServiceLinks: z.boolean(),
  terminationGracePeriodSeconds: z.number(),
  securityContext: z.looseObject({}),
  containers: z.tuple([containerSchema]),
  volumes: z.array(
    z.object({
      name: z.string(),
      persistentVolumeClaim: z.object({ claimName: z.string() }).optional(),
      configMap: z.object({ name: z.string() }).optional(),
      emptyDir: z.object({ sizeLimit: z.string() }).optional(),
    }),
  ),
});
const labelled = z.object({ matchLabels: texts });
const named = z.looseObject({ kind: z.string(), metadata: z.object({ name: z.string() }) });

/** The deployment's objects; the file has one of each kind. */
export function kubernetes() {
  const documents = readProjectFile("deploy/kubernetes.yaml").split(/^---$/mu);
  const objects = documents.map((text) => named.parse(yaml(text)));
  const only = <T>(kind: string, schema: z.ZodType<T>) => {
    const [object] = z.tuple([named]).parse(objects.filter((one) => one.kind === kind));
    return { name: object.metadata.name, ...schema.parse(object) };
  };
  return {
    secret: only("Secret", z.object({ stringData: texts })),
    settings: only("ConfigMap", z.object({ data: texts })),
    claim: only("PersistentVolumeClaim", specOf(z.object({ accessModes: z.array(z.string()) }))),
    deployment: only(
      "Deployment",
      specOf(
        z.object({
          replicas: z.number(),
          selector: labelled,
          template: z.object({ metadata: z.object({ labels: texts }), spec: podSchema }),
        }),
      ),
    ),
    service: only(
      "Service",
      specOf(z.object({ selector: texts, ports: z.array(z.object({ targetPort: z.string() })) })),
    ),
    budget: only("PodDisruptionBudget", specOf(z.object({ selector: labelled }))),
  };
}

function specOf<T extends z.ZodType>(spec: T) {
  return z.object({ spec });
}

/** Parses YAML with the parser of skills. Passing options turns its cache off. */
function yaml(text: string): unknown {
  return matter(`---\n${text}\n---\n`, {}).data;
}
