import { expect, test } from "vitest";
import { labelOf, type Message } from "../../../src/core/protocol/messages.ts";
import { EMPTY_LABEL, labelFrom, outsideOf, UNKNOWN_LABEL, unionOf } from "../../../src/core/trust/label.ts";

test("a union contains every author and every kind of content once", () => {
  const page = { who: [outsideOf("docs.test")], holds: ["public"] } as const;
  const ana = { who: ["slack:U1"], holds: ["files", "channel"] } as const;
  expect(unionOf([ana, page, ana])).toEqual({
    who: ["outside:docs.test", "slack:U1"],
    holds: ["public", "channel", "files"],
  });
});

test("a stored label is read back; a missing or unreadable one counts as outside content and files", () => {
  const label = { who: ["slack:U1"], holds: ["channel"] } as const;
  expect(labelFrom(JSON.stringify(label))).toEqual(label);
  for (const stored of [null, "", "{", `{"who":["a"]}`, `{"who":[],"holds":["nothing"]}`]) {
    expect(labelFrom(stored)).toEqual(UNKNOWN_LABEL);
  }
  expect(UNKNOWN_LABEL).toEqual({ who: ["outside:earlier messages"], holds: ["files"] });
});

test("model output adds no label, and a message without a label is unknown", () => {
  const message: Message = { id: "m", role: "user", content: [], createdAt: 0 };
  expect(labelOf([{ ...message, role: "assistant" }])).toEqual(EMPTY_LABEL);
  expect(labelOf([message])).toEqual(UNKNOWN_LABEL);
});
