const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

export function base64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    const digits = [18, 12, 6, 0].map((shift) => DIGITS[(group >> shift) & 63] ?? "");
    const used = Math.min(bytes.length - at, 3) + 1;
    parts.push(digits.slice(0, used).join("").padEnd(4, "="));
  }
  return parts.join("");
}
