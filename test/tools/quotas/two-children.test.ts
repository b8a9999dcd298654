import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createConfinement } from "../../../src/tools/wasm/confinement.ts";
import { text } from "../file-session.ts";
import { MB, useQuotas } from "./quota-session.ts";

/** Writable places; a child sees those that exist when it starts. */
const placesIn = (home: string) => ["one", "two", "kept"].map((name) => path.join(home, name));
const confined = (home: string) => createConfinement({ writable: placesIn(home), readable: [], hidden: [] }, true);
const missing = await confined("/nowhere").problem();
const stage = useQuotas({ limits: { root: () => 10 * MB, person: 2 * MB, channel: 30 * MB } }, confined);

test.skipIf(missing !== null)(
  "calls in two child processes share one quota, and do not block calls of other roots",
  async () => {
    const [one = "", two = ""] = placesIn(path.dirname(stage.file));
    mkdirSync(one);
    const first = stage.session({ person: "slack:U1", root: one });
    first.put("part.txt", "x".repeat(300_000));
    const begun = first.run("bash", {
      command: "touch begun; until [ -e go ]; do sleep 0.05; done; for n in 1 2 3 4 5; do cp part.txt f$n.txt; done",
    });
    await expect.poll(() => existsSync(path.join(one, "begun"))).toBe(true);
    // This root was created after the child started, so its calls need another child.
    const second = stage.session({ person: "slack:U1", root: two });
    const later = second.run("write", { path: "big.txt", content: "x".repeat(900_000) });
    const other = await stage.session({ person: "slack:U2", root: two }).run("write", { path: "a.txt", content: "x" });
    expect(other.isError).toBe(false);
    writeFileSync(path.join(one, "go"), "");
    expect(text(await begun)).not.toContain("too much");
    expect(text(await later)).toContain("This person's requests have added 1.5 MB of 2 MB");
  },
);
