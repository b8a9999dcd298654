import { isIP } from "node:net";
import { z } from "zod";

/** An address, or a network given by an address and a prefix length. */
export const networkSchema = z
  .string()
  .refine((entry) => isNetwork(entry), "must be an address or a network, for example 127.0.0.1 or 10.0.0.0/8");

function isNetwork(entry: string): boolean {
  const [address = "", bits = "0", ...rest] = entry.split("/");
  const most = isIP(address) === 4 ? 32 : 128;
  return isIP(address) !== 0 && rest.length === 0 && /^\d{1,3}$/u.test(bits) && Number(bits) <= most;
}
