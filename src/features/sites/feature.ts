import path from "node:path";
import { z } from "zod";
import { field, listenHost } from "../../config/fields.ts";
import type { ConfiguredFeature, Feature, GivenSettings, OpenFeature } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";

const BYTES_A_MEGABYTE = 1_000_000;

const settingsSchema = z.strictObject({
  host: field(
    listenHost(z.string().min(1)).default("127.0.0.1"),
    "Address that the sites' server listens on.",
    "0.0.0.0",
  ),
  port: field(
    z.int().min(0).max(65_535).default(3001),
    "Port of the sites' server. It must differ from the page's, because sites need a separate origin. One of several processes on a machine holds it and serves the sites of all.",
    3001,
  ),
  url: field(
    z
      .url({ protocol: /^https?$/u, error: "must be an http:// or https:// URL" })
      .regex(/^https?:\/\/[^/?#]+\/?$/u, "must name a host and no path")
      .exactOptional(),
    "Address at which people reach the sites through a proxy or under a name. Its host must differ from the page's.",
    "https://sites.example.com",
  ),
  maxFiles: field(z.int().min(1).max(50_000).default(2_000), "Maximum number of files in one site.", 2_000),
  maxMegabytes: field(z.number().min(0.001).max(1_000).default(100), "Maximum size of one site, in megabytes.", 100),
  keepVersions: field(z.int().min(1).max(100).default(5), "Number of versions of a site to keep for rolling back.", 5),
});

type SiteSettings = z.infer<typeof settingsSchema>;

const file = {
  sites: field(
    z.union([z.boolean(), settingsSchema]).default(false),
    "Whether directories of HTML can be published, at a separate address (docs/sites.md).",
    true,
  ),
};

const name = { name: "name", description: "the site's name, as in its address", required: true };

/**
 * Publishes files made by an agent or a person, to be opened in a browser. A directory becomes a site as a whole or not
 * at all: publish-tool.ts takes the call, collect.ts reads the files, publishing.ts makes the version, and server.ts
 * serves it.
 */
export const sitesFeature: Feature = {
  name: "sites",
  settings: {
    file,
    fileOnly: { sites: "It opens a port on this machine, so it can only be set in the settings file." },
  },
  commands: [
    {
      name: "sites",
      description: "this channel's websites: publish, protect, roll back",
      usage: "[list|publish|unpublish|protect|rollback] …",
      permission: "everyone",
      options: [
        { name: "list", description: "list this channel's sites, their addresses and versions", options: [] },
        {
          name: "publish",
          description: "publish a directory as a website",
          options: [
            name,
            { name: "directory", description: "the directory; it must contain an index.html", required: true },
          ],
        },
        { name: "unpublish", description: "remove a site with all its versions", options: [name] },
        {
          name: "protect",
          description: "ask visitors for a password",
          options: [name, { name: "password", description: "off: stop asking", choices: ["on", "off"] }],
        },
        {
          name: "rollback",
          description: "go back to an earlier version",
          options: [name, { name: "version", description: "its number; the previous one by default" }],
        },
      ],
      whenOff: "Publishing is off here. An operator can change that (`sites`).",
    },
  ],
  configure,
};

function configure(given: GivenSettings): ConfiguredFeature {
  const { sites } = z.object(file).parse(given.file);
  if (sites === false) return { problems: [] };
  const settings = settingsSchema.parse(sites === true ? {} : sites);
  const isReachable = /^(?:localhost|127\.|::1)/u.test(settings.host) || settings.url !== undefined;
  return {
    problems: isReachable
      ? []
      : ["sites.host: to serve sites beyond this machine, set `sites.url` to the address at which people reach them."],
    listens: [{ setting: "sites.port", hostSetting: "sites.host", host: settings.host, port: settings.port }],
    open: (host) => open(host, settings),
  };
}

async function open(host: FeatureHost, settings: SiteSettings): Promise<OpenFeature> {
  const [{ createCopies }, { createSites }, { serveSites }, { publishTool }, { sitesCommand }] = await Promise.all([
    import("./copies.ts"),
    import("./sites.ts"),
    import("./serve-sites.ts"),
    import("./publish-tool.ts"),
    import("./command.ts"),
  ]);
  const { url = null } = settings;
  let port = settings.port;
  const ended = new AbortController();
  const copies = createCopies(path.join(host.home, "sites"));
  const sites = createSites(host, {
    limits: { files: settings.maxFiles, bytes: settings.maxMegabytes * BYTES_A_MEGABYTE },
    keptVersions: settings.keepVersions,
    copies,
    address: () => url?.replace(/\/$/u, "") ?? `http://${inAddress(settings.host)}:${port}`,
    signal: ended.signal,
  });
  await sites.sweep();
  const { clock } = host.runtime;
  const passKey = await copies.passKey();
  const { isShared } = host.cluster;
  const server = await serveSites({ ...settings, url, sites, clock, passKey, isShared, log: host.log });
  port = server.port;
  const tools = [publishTool(sites, host)];
  return {
    tools: () => tools,
    commands: { sites: sitesCommand(sites, host, ended.signal) },
    stop: async () => {
      ended.abort();
      await server.close();
    },
  };
}

function inAddress(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
