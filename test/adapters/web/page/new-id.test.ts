import { expect, test } from "vitest";
import { z } from "zod";
import { newId } from "../../../../src/adapters/web/page/state/new-id.ts";

test("an id is a UUID, and none is like another, also where the browser has none to give", () => {
  const ids = Array.from({ length: 1_000 }, newId);
  expect(new Set(ids).size).toBe(1_000);
  for (const id of ids) expect(z.uuidv4().safeParse(id).success, id).toBe(true);
});
