import { expect, test } from "vitest";
import { EmbeddedEngine } from "../../../src/core/embedded-engine/embedded-engine.ts";
import { createIntake } from "../../../src/core/inbound/intake.ts";
import { Recorder } from "../../contracts/engine-recorder.ts";
import { intakeOptions, mention } from "../inbound/intake-fixture.ts";

test("work of a platform's sessions waits for a process that serves that platform", async () => {
  const { options } = await intakeOptions();
  const { store, runtime, log } = options;
  const target = () => ({ find: () => Promise.resolve(null), post: () => Promise.reject(new Error("nobody posts")) });
  const engineFor = (isServed: (name: string) => boolean) =>
    new EmbeddedEngine({ store, runtime, log, maxConcurrentRuns: 4, target, isServed });
  const idle = engineFor(() => true);
  await createIntake({ ...options, engine: idle })(mention("tidy the logs"));

  const terminals = engineFor((name) => name === "terminal");
  const unused = new Recorder();
  await terminals.start(unused.handler());
  expect(terminals.load()).toEqual({ running: 0, waiting: 0 });
  await terminals.stop(1_000);
  expect(unused.begunKeys()).toEqual([]);

  const everything = engineFor(() => true);
  const recorder = new Recorder();
  await everything.start(recorder.handler());
  await recorder.begun(1);
  await everything.stop(1_000);
});
