/** A whole number of 64 bits: a bigint where JavaScript's numbers are not exact, and only there. */
export type Integer = number | bigint;

const BITS = 64;

function kept(value: bigint): Integer {
  const wrapped = BigInt.asIntN(BITS, value);
  const short = Number(wrapped);
  return Number.isSafeInteger(short) ? short : wrapped;
}

/** The number that a text begins with; 0 where it begins with none. */
export function integer(text: string): Integer {
  const [found] = /^\s*[-+]?\d+/.exec(text) ?? [];
  return found === undefined ? 0 : kept(BigInt(found.trim().replace("+", "")));
}

/** A numeral that is too long for JavaScript's numbers; undefined for others. */
export function longNumeral(numeral: string): Integer | undefined {
  if (numeral.length < 13 || !/^(?:0x[\da-f]+|0[0-7]+|[1-9]\d*)$/i.test(numeral)) return undefined;
  return kept(BigInt(/^0\d/.test(numeral) ? `0o${numeral.slice(1)}` : numeral));
}

/** The result of an operator; undefined for those that are right as they are, and for mistakes, which others name. */
export function exactly(a: Integer, b: Integer, operator: string): Integer | undefined {
  const short = typeof a === "number" && typeof b === "number" ? shortResult(a, b, operator) : undefined;
  if (short !== undefined && Number.isSafeInteger(short)) return short;
  const long = longResult(BigInt(a), BigInt(b), operator);
  return long === undefined ? undefined : kept(long);
}

function shortResult(a: number, b: number, operator: string): number | undefined {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    default:
      return undefined;
  }
}

function longResult(a: bigint, b: bigint, operator: string): bigint | undefined {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return b === 0n ? undefined : a / b;
    case "%":
      return b === 0n ? undefined : a % b;
    case "**":
      return b < 0n ? undefined : power(a, b);
    case "<<":
      return a << (b & 63n);
    case ">>":
      return a >> (b & 63n);
    case "&":
      return a & b;
    case "|":
      return a | b;
    case "^":
      return a ^ b;
    default:
      return undefined;
  }
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base;
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = BigInt.asIntN(BITS, result * square);
    square = BigInt.asIntN(BITS, square * square);
  }
  return result;
}
