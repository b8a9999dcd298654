/** One thing that is made from the repository and installed packages. Paths are beneath the project's directory. */
export interface Step {
  readonly name: string;
  /** The package that does the work, a devDependency: a release brings what it makes. */
  readonly tool: string;
  /** Scripts with their arguments, run one after the other. */
  readonly commands: readonly (readonly string[])[];
  /** Files and directories that it is made of, beside the installed packages. */
  readonly inputs: readonly string[];
  /** A file or directory that proves the step was done. */
  readonly artefact: string;
  /** Names of the steps whose artefacts it is made of, too. */
  readonly after: readonly string[];
}

export const BUILT_PROGRAM: string;
export const PACKAGES_OUTSIDE: string;
export const PROGRAM: Step;
export const STEPS: readonly Step[];
