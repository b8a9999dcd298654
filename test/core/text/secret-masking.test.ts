import { describe, expect, test } from "vitest";
import { secretMasking } from "../../../src/core/text/secret-masking.ts";

const KEY = 'xoxb-1234-AbC+/d?é"z';
const { hide, hideIn, hideInBytes } = secretMasking([KEY, "deckhand", "correcthorsebattery"]);
const bytes = Buffer.from(KEY);

describe("a key of ours", () => {
  test.each([
    ["as it is", KEY],
    ["within words", `it is ${KEY}, is it not`],
    ["in an address", `http://a.test/?d=${encodeURIComponent(KEY)}&e=1`],
    ["in JSON", JSON.stringify({ key: KEY })],
    ["in hexadecimal", bytes.toString("hex")],
    ["in great hexadecimal", bytes.toString("hex").toUpperCase()],
    ["backwards", Array.from(KEY).toReversed().join("")],
    ["in base64", bytes.toString("base64")],
    ["in base64 for addresses", bytes.toString("base64url")],
    ["in base64, behind one byte", Buffer.from(`a${KEY} and more`).toString("base64")],
    ["in base64, behind two", Buffer.from(`ab${KEY} and more`).toString("base64")],
    ["in base64, behind three", Buffer.from(`abc${KEY} and more`).toString("base64")],
  ])("%s is masked", (_, text) => {
    const shown = hide(text);
    expect(shown).toContain("[secret]");
    const rest = [KEY, bytes.toString("hex"), bytes.subarray(3, -3).toString("base64").slice(2, -3)];
    for (const form of rest) expect(shown.toLowerCase()).not.toContain(form.toLowerCase());
  });

  test("is masked in lists and plain objects, without other changes", () => {
    const when = new Date(0);
    const data = new Uint8Array([1]);
    expect(hideIn({ text: `a ${KEY}`, list: [{ deep: KEY }], when, data, none: null })).toEqual({
      text: "a [secret]",
      list: [{ deep: "[secret]" }],
      when,
      data,
      none: null,
    });
  });

  test("is masked in a file's bytes; other files are unchanged", () => {
    const plain = secretMasking(["sk-ant-0123456789"]);
    const other = new Uint8Array([0xff, 0xfe, 0, 1]);
    expect(plain.hideInBytes(other)).toBe(other);
    expect(Buffer.from(plain.hideInBytes(Buffer.from("k=sk-ant-0123456789;"))).toString()).toBe("k=[secret];");
    expect(hideInBytes(other)).toBe(other);
  });
});

test("short values and plain words are not masked, since people use them", () => {
  expect(hide("deckhand says correcthorsebattery")).toBe("deckhand says correcthorsebattery");
  expect(secretMasking([]).hide(KEY)).toBe(KEY);
});
