/** Stands in for packages that the shell names but that no offered command needs. */
export default class Absent {
  constructor() {
    throw new Error("not available in the sandbox");
  }
}
