import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { DefinitionSet } from "../../../src/core/agents/page-definitions.ts";
import type { ToolResult } from "../../../src/core/protocol/tool-result.ts";
import type { SkillCatalogue } from "../../../src/core/skills/skills.ts";
import { createSkillTool } from "../../../src/tools/skill.ts";
import { createPageSkills } from "../../../src/tools/skills/page-skills.ts";
import { createSandbox } from "../../../src/tools/wasm/sandbox.ts";
import { silentLog } from "../../support/silent-log.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { fileSession } from "../file-session.ts";

/** A sandbox root, a home and an application directory side by side, and the reader of their skills. */
export interface SkillsOffice {
  readonly directory: string;
  readonly root: string;
  /** Writes a file, by its path from the directory: `root/…`, `home/…`, `app/…`. Returns its absolute path. */
  put(file: string, text: string): string;
  /** Puts a skill into a folder; the default text names the folder. */
  skill(folder: string, text?: string): string;
  read(): SkillCatalogue;
  /** Skills as the page shows and sets them. */
  readonly definitions: DefinitionSet;
  /** Calls the tool `skill` as the loop does. */
  call(input: object): Promise<ToolResult>;
}

export function skillsOffice(applicationDir?: string): SkillsOffice {
  const directory = tempDirectory();
  const at = (name: string) => path.join(directory, name);
  for (const name of ["root", "home", "app"]) mkdirSync(at(name));
  const log = silentLog;
  const { reader, definitions } = createPageSkills({ application: applicationDir ?? at("app"), home: at("home") }, log);
  const tool = createSkillTool({ skills: (root) => reader(root), followsFile: () => true });
  const put = (file: string, text: string) => {
    mkdirSync(path.dirname(at(file)), { recursive: true });
    writeFileSync(at(file), text);
    return at(file);
  };
  // The sandbox starts its child process at the first call, and no call is made.
  const { context } = fileSession(createSandbox(), { context: { sandboxRoot: at("root") } });
  return {
    directory,
    root: at("root"),
    put,
    skill: (folder, text = `---\ndescription: from ${folder}\n---\nDo it.\n`) => put(`${folder}/SKILL.md`, text),
    read: () => reader(at("root")),
    definitions,
    call: (input) => tool.execute(tool.input.parse(input), context, new AbortController().signal),
  };
}
