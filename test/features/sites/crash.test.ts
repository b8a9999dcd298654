import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDirectory } from "../../support/temp-directory.ts";
import { siteWorld } from "./site-world.ts";

const FILES = ["index.html", "a.txt", "deep/b.txt", "deep/er/c.txt"];

const PUBLISH = path.join(import.meta.dirname, "publish-and-die.ts");

function publish(home: string, lastStep: number) {
  const { signal, status, stdout, stderr } = spawnSync(process.execPath, [PUBLISH, home, `${lastStep}`], {
    encoding: "utf8",
  });
  return { isKilled: signal === "SIGKILL", status, stdout, stderr };
}

const filled = (what: string) => Object.fromEntries(FILES.map((file) => [file, `${what} ${file}`]));

test("killed at any step of publishing, a site is the old version or the new one, whole, after the next start", {
  timeout: 240_000,
}, async () => {
  const before = await siteWorld();
  before.put("heron", filled("old"));
  await before.publish("heron");
  before.put("heron", filled("new"));
  const homeFor = () => {
    const home = tempDirectory();
    cpSync(before.home, home, { recursive: true });
    return home;
  };
  const whole = publish(homeFor(), 0);
  expect(whole).toMatchObject({ status: 0, stderr: "" });
  const steps = Number(whole.stdout);
  expect(steps).toBeGreaterThan(12);

  const seen: string[] = [];
  for (let step = 1; step <= steps; step += 1) {
    const home = homeFor();
    expect(publish(home, step)).toMatchObject({ isKilled: true });
    const after = await siteWorld({ home });
    const texts = await Promise.all(
      FILES.map(async (file) =>
        (await fetch(`${after.origin}/sites/heron/${file === "index.html" ? "" : file}`)).text(),
      ),
    );
    const is = texts[0]?.startsWith("old") === true ? "old" : "new";
    expect(texts).toEqual(Object.values(filled(is)));
    // What no version needs is gone.
    expect(after.folders()).toHaveLength((await after.sites.versions(["heron"])).length);
    seen.push(is);
    await after.publish("heron");
    expect(await (await fetch(`${after.origin}/sites/heron/a.txt`)).text()).toBe("new a.txt");
  }
  // First the old one, then the new one, and never back.
  expect(seen).toEqual(seen.toSorted().toReversed());
  expect(new Set(seen)).toEqual(new Set(["old", "new"]));
});
