import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes long begins first, so that no worker is left alone with it at the end. */
const SLOW = [
  /\/test\/e2e\/(bad-input|chat|crash|jobs\/|load|model\/(budget|context)|over-a-kill|people\/questions|silence|sub-agents\/|surfaces)/,
  /\/test\/(proof|simulation)\//,
  /\/test\/features\/(configuration\/page|console\/|memory\/learning|retention\/running)/,
  /\/test\/(adapters\/web|e2e|jobs|features|tools\/(sandboxed|wasm|web))\//,
];

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = SLOW.findIndex((pattern) => pattern.test(moduleId));
      return place === -1 ? SLOW.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
