declare module "deckhand:sandbox/workspace@0.1.0" {
  type Workspace = import("./workspace.ts").Workspace;
  export const inspect: Workspace["inspect"];
  export const readLines: Workspace["readLines"];
  export const readWhole: Workspace["readWhole"];
  export const readEncoded: Workspace["readEncoded"];
  export const hashFile: Workspace["hashFile"];
  export const hashText: Workspace["hashText"];
  export const replaceFile: Workspace["replaceFile"];
  export const listFiles: Workspace["listFiles"];
  export const modified: Workspace["modified"];
  export const readMatching: Workspace["readMatching"];
}
