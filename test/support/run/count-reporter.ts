import type { SerializedError } from "vitest";
import type { Reporter, TestCase, TestModule } from "vitest/node";

/**
 * Ends a run with one plain line: how many tests passed and failed. A file that cannot be loaded, a failing hook and an
 * unhandled error count as failures, so that no failed run reads “0 failed”.
 * Tests that passed only on a retry are named before that line.
 */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const again: string[] = [];
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      const blocks = [module, ...module.children.allSuites()];
      counts.failed += blocks.filter((block) => block.errors().length > 0).length;
      for (const test of module.children.allTests()) {
        counts[state(test)] += 1;
        if (test.diagnostic()?.flaky) again.push(`unsteady: ${module.relativeModuleId} > ${test.fullName}\n`);
      }
    }
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
    const line = `${counts.passed} passed, ${counts.failed} failed${skipped}\n`;
    process.once("exit", () => process.stdout.write(`\n${again.join("")}${line}`));
  }
}

function state(test: TestCase): "passed" | "failed" | "skipped" {
  const { state } = test.result();
  return state === "pending" ? "skipped" : state;
}
