/** Stands in for packages that the shell names but that no offered command needs. */
export default function absent(): never {
  throw new Error("not available in the sandbox");
}
