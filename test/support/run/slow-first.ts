import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Slow files start first, so that no worker is left alone with one at the end. */
const SLOW = [
  /\.slow\.test\.ts$/,
  /\/test\/(adapters\/web|e2e|jobs|features\/(console|extensions|memory|retention)|proof)\//,
  /\/test\/(contracts|core\/(budget|dbos-engine|run|store)|features|moving|ownership|tools)\//,
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
