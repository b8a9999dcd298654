import * as host from "deckhand:sandbox/workspace@0.1.0";
import { Refusal, type Workspace } from "../workspace.ts";
import { commitEdit, commitWrite, planEdit, planWrite } from "./change.ts";
import { glob } from "./glob.ts";
import { grep } from "./grep.ts";
import { previewEdit, previewWrite } from "./preview.ts";
import { read } from "./read.ts";
import type { FilesRequest } from "./request.ts";

/** Turns errors of the host into refusals; any other error is a defect of the guest. */
function refusing<A extends unknown[], R>(call: (...args: A) => R): (...args: A) => R {
  return (...args) => {
    try {
      return call(...args);
    } catch (error) {
      throw new Refusal(error instanceof Error ? error.message : String(error));
    }
  };
}

const workspace: Workspace = {
  inspect: refusing(host.inspect),
  readLines: refusing(host.readLines),
  readWhole: refusing(host.readWhole),
  readEncoded: refusing(host.readEncoded),
  hashFile: refusing(host.hashFile),
  hashText: refusing(host.hashText),
  replaceFile: refusing(host.replaceFile),
  listFiles: refusing(host.listFiles),
  modified: refusing(host.modified),
  readMatching: refusing(host.readMatching),
};

/** Null also if the path has become a directory or may not be read. */
function hashOrNull(path: string): string | null {
  try {
    return workspace.hashFile(path);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

function answer(request: FilesRequest): unknown {
  switch (request.op) {
    case "read":
      return read(workspace, request);
    case "plan_write":
      return planWrite(workspace, request);
    case "commit_write":
      return commitWrite(workspace, request);
    case "plan_edit":
      return planEdit(workspace, request);
    case "commit_edit":
      return commitEdit(workspace, request);
    case "preview_write":
      return previewWrite(workspace, request);
    case "preview_edit":
      return previewEdit(workspace, request);
    case "hash":
      return { sha256: workspace.hashFile(request.path) };
    case "hash_all":
      return { hashes: request.paths.map(hashOrNull) };
    case "glob":
      return glob(workspace, request);
    case "grep":
      return grep(workspace, request);
    default:
      throw new Refusal(`The guest knows no ${JSON.stringify(request)}.`);
  }
}

export const tool = {
  invoke(input: string): string {
    try {
      return JSON.stringify(answer(JSON.parse(input)));
    } catch (error) {
      if (error instanceof Refusal) return JSON.stringify({ refused: error.message });
      throw String(error);
    }
  },
};
