import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { publishTool } from "../../../src/features/sites/publish-tool.ts";
import { Refusal } from "../../../src/tools/wasm/workspace/refusal.ts";
import { ANA, LIMITS, type SiteWorld, siteWorld } from "./site-world.ts";

interface Row {
  readonly name: string;
  readonly site?: string;
  readonly directory?: string;
  make(world: SiteWorld, directory: string): void;
  readonly says: string;
}

const ROWS: readonly Row[] = [
  {
    name: "10,000 files",
    make(_world, directory) {
      for (let number = 0; number < 10_000; number += 1) writeFileSync(path.join(directory, `${number}`), "");
    },
    says: "The directory holds more than 2000 files: too many for a site.",
  },
  {
    name: "a sparse file of 2 GB",
    make(_world, directory) {
      writeFileSync(path.join(directory, "huge.bin"), "");
      truncateSync(path.join(directory, "huge.bin"), 2_147_483_648);
    },
    says: "huge.bin has 2.1 GB; a file of a site may have at most 26.2 MB.",
  },
  {
    name: "a set of files above the total size limit",
    make(_world, directory) {
      for (const name of ["a", "b", "c", "d", "e"]) {
        writeFileSync(path.join(directory, name), "");
        truncateSync(path.join(directory, name), 25_000_000);
      }
    },
    says: "The directory holds more than 100 MB: too much for a site.",
  },
  {
    name: "a tree of too many directories",
    make(_world, directory) {
      for (let number = 0; number <= LIMITS.files; number += 1) mkdirSync(path.join(directory, `${number}`));
    },
    says: "The directory holds more than 2000 files: too many for a site.",
  },
  {
    name: "a link out of the root",
    make: (_world, directory) => symlinkSync("/etc/passwd", path.join(directory, "users.txt")),
    says: "users.txt is a symbolic link, but a site can have only files. Replace it with a copy.",
  },
  {
    name: "a directory that is a link out of the root",
    make: (_world, directory) => symlinkSync("/etc", path.join(directory, "etc")),
    says: "etc is a symbolic link, but a site can have only files. Replace it with a copy.",
  },
  {
    name: "a link within the root",
    make(world, directory) {
      world.put("", { "notes.txt": "private" });
      symlinkSync("../notes.txt", path.join(directory, "notes.txt"));
    },
    says: "notes.txt is a symbolic link, but a site can have only files. Replace it with a copy.",
  },
  {
    name: "a directory outside the root",
    directory: "../outside",
    make(world) {
      mkdirSync(path.join(world.home, "outside"), { recursive: true });
      writeFileSync(path.join(world.home, "outside/index.html"), "outside");
    },
    says: "../outside is outside the sandbox; use a path relative to its root.",
  },
  {
    name: "a link to a directory outside",
    directory: "way-out",
    make(world) {
      mkdirSync(path.join(world.home, "outside"), { recursive: true });
      writeFileSync(path.join(world.home, "outside/index.html"), "outside");
      symlinkSync("../outside", path.join(world.root, "way-out"));
    },
    says: "The path is outside the sandbox; use a path relative to its root.",
  },
  {
    name: "a named pipe",
    make: (_world, directory) => void execFileSync("mkfifo", [path.join(directory, "pipe")]),
    says: "pipe is neither a regular file nor a directory: it cannot be published.",
  },
  {
    name: "a private key",
    make: (world) => world.put("heron", { "deploy/id_rsa": "key" }),
    says: "deploy/id_rsa looks like a private key: it is not published. Take it out of the directory.",
  },
  {
    name: "a link to a directory whose name marks its files as secret",
    directory: "linked",
    make(world) {
      world.put(".docker", { "index.html": "x", "config.json": "{}" });
      symlinkSync(".docker", path.join(world.root, "linked"));
    },
    says: "config.json looks like cloud credentials: it is not published. Take it out of the directory.",
  },
  {
    name: "a file name that no browser can request",
    make: (world) => world.put("heron", { "a\\b.txt": "x" }),
    says: "a\\b.txt: a browser cannot request a file with this name. Rename it.",
  },
  {
    name: "a directory without an index",
    directory: "bare",
    make: (world) => world.put("bare", { "a.txt": "x" }),
    says: "bare has no index.html, which every site needs.",
  },
  { name: "no directory", directory: "none", make: () => {}, says: "none does not exist." },
  {
    name: "a file in place of the directory",
    directory: "heron/index.html",
    make: () => {},
    says: "A part of heron/index.html is a file, not a directory.",
  },
  ...["", "Heron", "he ron", "../heron", "-heron", "héron", "a".repeat(64), "heron/x", "heron\u0000"].map((site) => ({
    name: `the name ${JSON.stringify(site)}`,
    site,
    make: () => {},
    says: "A site's name has 1 to 63 lower-case letters, digits and hyphens, such as `release-notes`.",
  })),
];

test.each(ROWS)(
  "$name is refused with a clear message, and leaves nothing on the disk",
  { timeout: 120_000 },
  async (row) => {
    const world = await siteWorld();
    world.put("heron", { "index.html": "<p>heron" });
    row.make(world, path.join(world.root, "heron"));
    const refused = world.publish(row.site ?? "heron", row.directory ?? "heron");
    await expect(refused).rejects.toThrow(new Refusal(row.says));
    expect(await world.sites.directories()).toEqual([]);
    expect(world.folders()).toEqual([]);
  },
);

test("dotfiles are not published, and are counted", async () => {
  const world = await siteWorld();
  world.put("heron", {
    "index.html": "x",
    ".env": "A=1",
    ".git/config": "x",
    "deep/.htaccess": "x",
    "deep/a.txt": "y",
  });
  const request = { name: "heron", source: { root: world.root, directory: "heron" }, channelKey: "slack:C1" };
  const found = await world.sites.preview(request, AbortSignal.timeout(10_000));
  expect(found).toMatchObject({ hidden: 3, bytes: 2 });
  expect(found.files.map((file) => file.path)).toEqual(["deep/a.txt", "index.html"]);
  const url = await world.publish("heron");
  expect(
    await Promise.all(
      ["deep/a.txt", ".env", ".git/config", "deep/.htaccess"].map(
        async (file) => (await fetch(`${url}${file}`)).status,
      ),
    ),
  ).toEqual([200, 404, 404, 404]);
});

test("a published copy does not change when its source file is written through a hard link", async () => {
  const world = await siteWorld();
  world.put("heron", { "index.html": "before" });
  linkSync(path.join(world.root, "heron/index.html"), path.join(world.root, "other.html"));
  const url = await world.publish("heron");
  writeFileSync(path.join(world.root, "other.html"), "after");
  expect(await (await fetch(url)).text()).toBe("before");
});

test("publishing is refused if the files differ from those shown for approval", async () => {
  const world = await siteWorld();
  world.put("heron", { "index.html": "shown" });
  const request = { name: "heron", source: { root: world.root, directory: "heron" }, channelKey: "slack:C1" };
  const signal = AbortSignal.timeout(10_000);
  const { digest } = await world.sites.preview(request, signal);
  world.put("heron", { "index.html": "other" });
  const publishing = { ...request, by: ANA, key: "one", digest };
  await expect(world.sites.publish(publishing, signal)).rejects.toThrow("The files have changed since they were shown");
  expect(world.folders()).toEqual([]);
  world.put("heron", { "index.html": "shown" });
  expect(await world.sites.publish(publishing, signal)).toMatchObject({ number: 1 });
  expect(await world.sites.publish(publishing, signal)).toMatchObject({ number: 1 });
});

test("publishing needs approval in every mode, and is refused to a job, which has nobody to ask", async () => {
  const { sites, store, root } = await siteWorld();
  const { rule } = publishTool(sites, { store });
  const call = { name: "heron", directory: "site" };
  const where = { mode: "agi", sandboxRoot: root, allowedHosts: [], blockedUrls: [] } as const;
  expect(rule?.(call, { ...where, nonInteractive: true })).toMatchObject({ type: "refuse" });
  expect(rule?.(call, where)).toMatchObject({ type: "ask", always: true });
});

test("a site's name belongs to its channel, and another channel cannot publish under it", async () => {
  const world = await siteWorld();
  world.put("heron", { "index.html": "x" });
  await world.publish("heron");
  const request = {
    name: "heron",
    source: { root: world.root, directory: "heron" },
    channelKey: "slack:C2",
    by: ANA,
    key: "2",
  };
  await expect(world.sites.publish(request, AbortSignal.timeout(10_000))).rejects.toThrow(
    "Another channel already has a site named heron.",
  );
});

test("two concurrent publications of one site both succeed, in sequence", async () => {
  const world = await siteWorld();
  world.put("heron", { "index.html": "x" });
  await Promise.all([world.publish("heron"), world.publish("heron"), world.publish("heron")]);
  const numbers = (await world.sites.versions(["heron"])).map(({ number }) => number);
  expect(numbers).toEqual([3, 2, 1]);
});
