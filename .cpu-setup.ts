import { readFileSync, appendFileSync } from "node:fs";
import { afterAll, expect } from "vitest";
const read = () => { const s = readFileSync("/proc/self/stat", "utf8"); const f = s.slice(s.lastIndexOf(")") + 2).split(" "); return [11,12,13,14].map((i) => Number(f[i]) / 100); };
const t0 = performance.now(); const a = read();
afterAll(() => { const b = read(); appendFileSync(process.env["CPU_OUT"] ?? "/dev/null", JSON.stringify({ file: expect.getState().testPath, self: b[0]!+b[1]!-a[0]!-a[1]!, kids: b[2]!+b[3]!-a[2]!-a[3]!, wall: (performance.now()-t0)/1000, pid: process.pid }) + "\n"); });
