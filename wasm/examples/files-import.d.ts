/**
 * The file import that wasm/extension/tool.wit offers to components. Errors are thrown; their message is a sentence for
 * the model.
 */
declare module "deckhand:extension/files@0.1.0" {
  export function readText(path: string): string;
  export function readBase64(path: string): string;
  export function listFiles(path: string): string[];
  export function writeText(path: string, text: string): void;
}
