/** A component has it, though no types of it. */
declare function atob(base64: string): string;
