/** The answer of a tool (wasm/extension/tool.wit). */
export interface Answer {
  readonly text?: string;
  readonly isError?: boolean;
  readonly images?: readonly { readonly name: string; readonly mediaType: string; readonly base64: string }[];
}

/** A mistake of the model that it can correct; the message says how. */
export class Mistake extends Error {}

/** Builds a component's export, which turns mistakes and errors of the file import into answers. */
export function answering(work: (input: string) => Answer): { invoke(input: string): string } {
  return {
    invoke: (input) => {
      try {
        return JSON.stringify(work(input));
      } catch (error) {
        if (error instanceof Error && !isDefect(error)) return JSON.stringify({ text: error.message, isError: true });
        throw error;
      }
    },
  };
}

function isDefect(error: Error): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
}
