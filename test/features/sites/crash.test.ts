import { execFileSync, spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDirectory } from "../../support/temp-directory.ts";
import { publishStepwise } from "./publish-stepwise.ts";
import { siteWorld } from "./site-world.ts";

const FILES = ["index.html", "a.txt", "deep/b.txt", "deep/er/c.txt"];

const PUBLISH = path.join(import.meta.dirname, "publish-and-die.ts");

/** Copies of the home at each step, as a process killed then would leave it. */
async function deathsOf(home: string): Promise<readonly string[]> {
  const homes: string[] = [];
  await publishStepwise(home, () => {
    const copy = path.join(tempDirectory(), "home");
    // Another process copies, because closing a database file would release this process's locks in it.
    execFileSync("cp", ["-a", home, copy]);
    homes.push(copy);
  });
  return homes;
}

const filled = (what: string) => Object.fromEntries(FILES.map((file) => [file, `${what} ${file}`]));

test("after a kill at any step of publishing, the next start serves the old or the new version completely", {
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
  const homes = await deathsOf(homeFor());
  expect(homes.length).toBeGreaterThan(12);
  // One real process among them.
  const killed = homeFor();
  const middle = Math.floor(homes.length / 2);
  const { signal, stderr } = spawnSync(process.execPath, [PUBLISH, killed, `${middle}`], { encoding: "utf8" });
  expect({ signal, stderr }).toEqual({ signal: "SIGKILL", stderr: "" });

  const seen: string[] = [];
  for (const home of homes.toSpliced(middle, 0, killed)) {
    const after = await siteWorld({ home });
    const texts = await Promise.all(
      FILES.map(async (file) =>
        (await fetch(`${after.origin}/sites/heron/${file === "index.html" ? "" : file}`)).text(),
      ),
    );
    const is = texts[0]?.startsWith("old") === true ? "old" : "new";
    expect(texts).toEqual(Object.values(filled(is)));
    // Folders that no version needs are removed.
    expect(after.folders()).toHaveLength((await after.sites.versions(["heron"])).length);
    seen.push(is);
    await after.publish("heron");
    expect(await (await fetch(`${after.origin}/sites/heron/a.txt`)).text()).toBe("new a.txt");
  }
  // First the old one, then the new one, and never back.
  expect(seen).toEqual(seen.toSorted().toReversed());
  expect(new Set(seen)).toEqual(new Set(["old", "new"]));
});
