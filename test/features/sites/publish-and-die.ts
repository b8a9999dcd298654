import { publishStepwise } from "./publish-stepwise.ts";

/** Publishes `root/heron` beneath a home, and kills itself at one of the steps: `node publish-and-die.ts <home> <step>`. */
const [home = "", last = ""] = process.argv.slice(2);
let steps = 0;

await publishStepwise(home, () => {
  steps += 1;
  if (steps === Number(last)) process.kill(process.pid, "SIGKILL");
});
