import { expect, test } from "vitest";
import { colourNote } from "../../../src/adapters/render/card-colour.ts";

test.each([
  [0xa3_02_00, "red"],
  [0xe0_1e_5a, "red"],
  [0xe9_76_59, "red"],
  [0xda_a0_38, "orange"],
  [0xf1_c4_0f, "yellow"],
  [0xff_ff_00, "yellow"],
  [0x2e_b8_86, "green"],
  [0x00_ff_00, "green"],
])("%i is noted as %s", (rgb, name) => {
  expect(colourNote(rgb)).toBe(`[marked ${name}]`);
});

test.each([0, 0xff_ff_ff, 0x97_aa_b3, 0x58_65_f2, 0x34_98_db, 0x9b_59_b6, 0xeb_45_9e, Number.NaN])(
  "%i says nothing about whether something is wrong",
  (rgb) => {
    expect(colourNote(rgb)).toBe("");
  },
);
