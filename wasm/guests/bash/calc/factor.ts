import type { CustomCommand } from "just-bash/browser";
import { type Call, pipedBytes, textCommand } from "../text/command.ts";

/** Factors up to this one are tried one by one; numbers with two larger ones are refused, since that takes too long. */
const MOST = 3_000_000n;

/** `factor`, which prints the prime factors of numbers. */
export const FACTOR: CustomCommand = textCommand("factor", { flags: "" }, async (call: Call) => {
  const { operands, complaints, context } = call;
  const given = operands.length > 0 ? operands : pipedBytes(context).split(/\s+/).filter(Boolean);
  return given
    .map((text) => {
      if (/^\+?\d+$/.test(text)) {
        const factors = factorsOf(BigInt(text.replace("+", "")));
        if (factors !== null) return `${BigInt(text.replace("+", ""))}:${factors.map((one) => ` ${one}`).join("")}\n`;
        complaints.push(`'${text}' is too large to be factored here`);
      } else complaints.push(`'${text}' is not a valid positive integer`);
      return "";
    })
    .join("");
});

/** Prime factors in their order; null if what remains may be a product of large ones. */
function factorsOf(number: bigint): bigint[] | null {
  const factors: bigint[] = [];
  let rest = number;
  const take = (factor: bigint): void => {
    for (; rest > 1n && rest % factor === 0n; rest /= factor) factors.push(factor);
  };
  take(2n);
  for (let factor = 3n; factor <= MOST && factor * factor <= rest; factor += 2n) if (rest % factor === 0n) take(factor);
  if (rest <= 1n) return factors;
  return rest <= MOST * MOST ? [...factors, rest] : null;
}
