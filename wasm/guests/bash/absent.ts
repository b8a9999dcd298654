/** Replaces packages that the shell imports but that no offered command needs. */
export default function absent(): never {
  throw new Error("not available in the sandbox");
}
