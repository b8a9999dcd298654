import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { PARTS } from "../../../scripts/release/make-release.ts";
import { PROBE_PATHS } from "../../../src/adapters/web/server/access-control.ts";
import { loadConfig } from "../../../src/config.ts";
import { FEATURES } from "../../../src/features/features.ts";
import { STEPS } from "../../../src/launch/steps.mjs";
import { STOP_WITHIN_MS } from "../../../src/operations/stop-times.ts";
import { createBot } from "../../support/program/bot.ts";
import { projectWith } from "../../support/project.ts";
import { compose, dockerStages, imageOf, kubernetes, linesOf, ROOT, readProjectFile } from "./container-files.ts";

const [building = [], last = []] = dockerStages();
const image = imageOf(last);
const { user, volume } = image;
const PAGE_PORT = image.ports[0] ?? 0;
const SECRET_KEY = Buffer.alloc(32, 1).toString("base64");

/**
 * A supervisor must wait longer than the program takes to stop, by at least this time for slow machines. In
 * milliseconds.
 */
const TO_SPARE_MS = 10_000;

/** The settings that the program gets from a container's environment and settings file. */
function configIn(given: Readonly<Record<string, string>>, settings: string) {
  const directory = projectWith({ "deckhand.config.json": settings });
  const env = { ...image.env, ...given, DECKHAND_CONFIG: path.join(directory, "deckhand.config.json") };
  return loadConfig({ env, cwd: directory }, FEATURES);
}

/** Whether the build context leaves a path out. */
function isIgnored(file: string): boolean {
  const above = file.split("/").map((_, index, all) => all.slice(0, index + 1).join("/"));
  return linesOf(".dockerignore").some((pattern) => above.some((one) => path.matchesGlob(one, pattern)));
}

describe("the container image", () => {
  test("is built from the lock file, without running install scripts of packages", () => {
    const commands = building.map(({ name, text }) => `${name} ${text}`);
    const install = commands.indexOf("RUN npm ci --ignore-scripts");
    expect(commands[install - 1]).toBe("COPY .npmrc package.json package-lock.json ./");
    expect(commands.join("\n")).not.toMatch(/npm (?:i|install|update)\b/u);
  });

  test("includes all sources of the program, and nothing that git ignores", () => {
    const needed = [...PARTS, ...STEPS.flatMap(({ inputs }) => inputs)];
    expect(needed.filter((file) => isIgnored(file) || !existsSync(path.join(ROOT, file)))).toEqual([]);
    const unkept = linesOf(".gitignore").map((line) => line.replace(/^\/|\/$/gu, ""));
    expect(unkept.filter((pattern) => !linesOf(".dockerignore").includes(pattern))).toEqual([]);
  });

  test("copies one release directory from the build stage, and starts the program from it", () => {
    expect(image.copies).toEqual(["--from=build /release /opt/deckhand"]);
    expect(building.at(-1)?.text).toContain("npm run release -- /release");
    expect(image.env["PATH"]).toMatch(/^\/opt\/deckhand\/node_modules\/\.bin:/u);
    expect(image.entry).toEqual(["tini", "--", "deckhand"]);
    expect(image.commands.join(" ")).toMatch(/install .*\btini\b/u);
  });

  test("runs as an unprivileged user, with one volume for all state", () => {
    const [uid = ""] = user.split(":");
    expect(Number(uid)).toBeGreaterThan(999);
    expect(image.commands.join(" ")).toContain(`--owner=${uid} --group=${uid} --mode=0700 ${volume}`);
    const { home, sandbox, database, warnings, web, slack } = configIn(
      { SLACK_BOT_TOKEN: "xoxb-1", SLACK_SIGNING_SECRET: "0123456789abcdef" },
      "{}",
    );
    expect([home, sandbox, database.url]).toEqual([volume, `${volume}/sandbox`, `file:${volume}/deckhand.db`]);
    expect([web.port, slack?.mode]).toEqual([PAGE_PORT, expect.objectContaining({ host: "0.0.0.0" })]);
    expect(image.ports).toContain(slack?.mode.type === "http" ? slack.mode.port : null);
    expect(warnings.filter((line) => line.includes("is not a known setting"))).toEqual([]);
  });

  test("is healthy if the program answers, and unhealthy otherwise", async () => {
    const [node, ...args] = image.healthCommand;
    expect(node).toBe("node");
    await using bot = await createBot();
    await bot.start();
    const check = () => promisify(execFile)(process.execPath, args, { env: { PORT: String(bot.port) } });
    await expect(check()).resolves.toMatchObject({ stderr: "" });
    await bot.kill("SIGKILL");
    await expect(check()).rejects.toMatchObject({ code: 1 });
  });
});

describe("compose.yaml", () => {
  const { services, volumes, configs } = compose();
  const { deckhand, balancer } = services;
  const balancing = linesOf("deploy/haproxy.cfg");

  test("gives three replicas valid settings", () => {
    const environment = Object.entries(deckhand?.environment ?? {}).map(([name, value]) => {
      const filled = value
        .replace(/^\$\{DECKHAND_SECRET_KEY:.*\}$/u, SECRET_KEY)
        .replace("${POSTGRES_PASSWORD}", "5ec");
      return [name, filled] as const;
    });
    const config = configIn(Object.fromEntries(environment), configs["settings"]?.content ?? "");
    expect(config).toMatchObject({ engine: "dbos", home: volume, database: { kind: "postgresql" } });
    expect(config.web).toMatchObject({ host: "0.0.0.0", port: PAGE_PORT, trustProxy: [expect.any(String)] });
    expect(config.warnings.filter((line) => line.includes("is not a known setting"))).toEqual([]);
    expect(deckhand).toMatchObject({ build: ".", deploy: { replicas: 3 }, read_only: true });
  });

  test("starts each service when its dependencies are healthy", () => {
    const needs = Object.entries(services).flatMap(([name, { depends_on }]) =>
      Object.entries(depends_on).map(([other, { condition }]) => `${name} ${other} ${condition}`),
    );
    expect(needs).toEqual(["deckhand postgres service_healthy", "balancer deckhand service_healthy"]);
    expect(services["postgres"]?.healthcheck).toBeDefined();
  });

  test("has a longer stop timeout than the program", () => {
    const [, seconds = "0"] = /^(\d+)s$/u.exec(deckhand?.stop_grace_period ?? "") ?? [];
    expect(Number(seconds) * 1_000).toBeGreaterThanOrEqual(STOP_WITHIN_MS + TO_SPARE_MS);
  });

  test("refers only to existing volumes, settings and files", () => {
    const used = Object.values(services).flatMap((service) => service.volumes.map((line) => line.split(":")[0] ?? ""));
    expect(used.toSorted()).toEqual(Object.keys(volumes).toSorted());
    expect(deckhand?.volumes).toEqual([`state:${volume}`]);
    const given = Object.values(services).flatMap((service) => service.configs.map(({ source }) => source));
    expect(given.toSorted()).toEqual(Object.keys(configs).toSorted());
    expect(deckhand?.configs.map(({ target }) => target)).toEqual([deckhand?.environment["DECKHAND_CONFIG"]]);
    for (const { file } of Object.values(configs))
      expect(file === undefined || existsSync(path.join(ROOT, file))).toBe(true);
  });

  test("lets the load balancer check readiness", () => {
    expect(balancer?.ports.map((line) => Number(line.split(":").at(-1)))).toEqual([PAGE_PORT]);
    expect(balancing).toContain(`bind :${PAGE_PORT}`);
    expect(balancing.join("\n")).toMatch(new RegExp(`^server-template \\w+ \\d+ deckhand:${PAGE_PORT} `, "mu"));
    const [, asked = "", host = ""] =
      /^http-check send meth GET uri (\S+) .* hdr Host (\S+)$/mu.exec(balancing.join("\n")) ?? [];
    expect([asked, host]).toEqual(["/readyz", `localhost:${PAGE_PORT}`]);
  });

  test("overwrites the forwarded client address that a visitor sends", () => {
    expect(balancing.filter((line) => line.includes("forwardfor"))).toEqual([]);
    expect(balancing).toContain("http-request set-header X-Forwarded-For %[src]");
    expect(balancing).toContain("http-request del-header X-Forwarded-Host");
  });
});

describe("deploy/kubernetes.yaml", () => {
  const { secret, settings, claim, deployment, service, budget } = kubernetes();
  const { replicas, selector, template } = deployment.spec;
  const pod = template.spec;
  const [container] = pod.containers;

  test("gives three replicas valid settings once the secrets are filled in", () => {
    const [[fileName, content] = ["", ""]] = Object.entries(settings.data);
    const given = {
      ...secret.stringData,
      ...Object.fromEntries(container.env.map(({ name, value }) => [name, value])),
    };
    expect(() => configIn(given, content)).toThrow(
      expect.objectContaining({ problems: [expect.stringContaining("DECKHAND_SECRET_KEY")] }),
    );
    const config = configIn({ ...given, DECKHAND_SECRET_KEY: SECRET_KEY }, content);
    expect(config).toMatchObject({ engine: "dbos", home: volume, database: { kind: "postgresql" } });
    expect(config.warnings.filter((line) => line.includes("is not a known setting"))).toEqual([]);
    const mounted = container.volumeMounts.find(({ name }) => name === "settings")?.mountPath;
    expect(given["DECKHAND_CONFIG"]).toBe(`${mounted}/${fileName}`);
    expect([replicas, pod.enableServiceLinks]).toEqual([3, false]);
  });

  test("has probes that the program answers, on its port", () => {
    const { startupProbe, livenessProbe, readinessProbe } = container;
    const asked = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet);
    expect(asked.map((one) => one.path)).toEqual(["/healthz", "/healthz", "/readyz"]);
    for (const one of asked) expect(PROBE_PATHS).toContain(one.path);
    const ports = new Map(container.ports.map((one) => [one.name, one.containerPort]));
    const named = [...asked.map(({ port }) => port), ...service.spec.ports.map(({ targetPort }) => targetPort)];
    expect(named.map((port) => ports.get(port))).toEqual([PAGE_PORT, PAGE_PORT, PAGE_PORT, PAGE_PORT]);
  });

  test("has a longer termination period than the program's stop and the preStop hook together", () => {
    const [program, seconds] = container.lifecycle.preStop.exec.command;
    expect(program).toBe("sleep");
    const leftMs = (pod.terminationGracePeriodSeconds - Number(seconds)) * 1_000;
    expect(leftMs).toBeGreaterThanOrEqual(STOP_WITHIN_MS + TO_SPARE_MS);
  });

  test("runs as the image's user, who can write to the volume and /tmp only", () => {
    const [uid, gid] = user.split(":").map(Number);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: uid, runAsGroup: gid, fsGroup: gid });
    expect(container.securityContext).toMatchObject({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true });
    const places = container.volumeMounts.filter(({ readOnly }) => readOnly !== true).map(({ mountPath }) => mountPath);
    expect(places).toEqual([volume, "/tmp"]);
    expect(claim.spec.accessModes).toEqual(["ReadWriteMany"]);
  });

  test("has references between its objects that match", () => {
    const volumes = new Map(pod.volumes.map((one) => [one.name, one]));
    expect(volumes.get("state")?.persistentVolumeClaim?.claimName).toBe(claim.name);
    expect(volumes.get("settings")?.configMap?.name).toBe(settings.name);
    expect(container.volumeMounts.map(({ name }) => volumes.has(name))).toEqual([true, true, true]);
    expect(container.envFrom).toEqual([{ secretRef: { name: secret.name } }]);
    const labels = [selector.matchLabels, service.spec.selector, budget.spec.selector.matchLabels];
    for (const one of labels) expect(one).toEqual(template.metadata.labels);
  });
});

test("docs/containers.md names each of the files", () => {
  const page = readProjectFile("docs/containers.md");
  for (const file of ["Dockerfile", "compose.yaml", "deploy/haproxy.cfg", "deploy/kubernetes.yaml"])
    expect(page).toContain(file);
});
