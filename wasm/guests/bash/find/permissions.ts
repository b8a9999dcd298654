import type { Test } from "./expression.ts";

const WHO: Readonly<Record<string, number>> = { u: 0o700, g: 0o070, o: 0o007, a: 0o777 };
const WHAT: Readonly<Record<string, number>> = { r: 0o444, w: 0o222, x: 0o111, X: 0o111 };

/** Tests permission bits: `644` requires exactly these, `-644` all of them, `/644` any. */
export function permissionTest(text: string): Test {
  const [, how = "", mode = ""] = /^([-/]?)([^]*)$/.exec(text) ?? [];
  const bits = bitsOf(mode, text);
  return async (entry) => {
    const own = (await entry.status()).mode & 0o7777;
    if (how === "-") return (own & bits) === bits;
    return how === "/" ? bits === 0 || (own & bits) !== 0 : own === bits;
  };
}

function bitsOf(mode: string, text: string): number {
  if (/^[0-7]{1,4}$/.test(mode)) return Number.parseInt(mode, 8);
  let bits = 0;
  for (const clause of mode.split(",")) {
    const [, who, operator = "", what = ""] = /^([ugoa]*)([-+=])([rwxX]*)$/.exec(clause) ?? [];
    if (who === undefined) throw new Error(`invalid mode '${text}'`);
    const within = sum(who === "" ? "a" : who, WHO);
    const given = within & sum(what, WHAT);
    if (operator === "=") bits = (bits & ~within) | given;
    else bits = operator === "+" ? bits | given : bits & ~given;
  }
  return bits;
}

function sum(letters: string, table: Readonly<Record<string, number>>): number {
  return Array.from(letters).reduce((bits, letter) => bits | (table[letter] ?? 0), 0);
}
