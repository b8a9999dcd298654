import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes long begins first, so that no worker is left alone with it at the end. */
const SLOW = [
  /\/test\/e2e\/(bad-input|chat|crash|jobs\/|lease|load|model\/(bad-model|budget|context)|over-a-kill|people\/questions|replicas\/|silence|sub-agents\/|surfaces|web\/)/,
  /\/test\/(proof|simulation|core\/dbos-engine)\//,
  /\/test\/features\/(accounts\/oidc|configuration\/page|console\/|definitions\/page|extensions\/toolchains|memory\/(learning|page)|retention\/running)/,
  /\/test\/(adapters\/web\/page\/page|contracts|launch\/build|moving|tools\/(bash-comparison|git)|core\/store\/store\.test)/,
  /\/test\/(adapters\/web|e2e|jobs|features|tools\/(quotas|sandboxed|wasm|web)|core\/(budget|store)|ownership)\//,
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
