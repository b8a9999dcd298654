import { expect, test } from "vitest";
import { fileSession, text, useSandbox } from "../file-session.ts";

const sandbox = useSandbox();

test("the command behind exec > >(…) reads all that the script printed", async () => {
  const session = fileSession(sandbox);
  const result = await session.run("bash", {
    command: "exec > >(tee log | tr a-z A-Z) 2>&1; echo a; echo b >&2; exit 3",
  });
  expect(text(result)).toBe("exit code 3\nstdout:\nA\nB");
  expect(session.bytes("log").toString()).toBe("a\nb\n");
});
