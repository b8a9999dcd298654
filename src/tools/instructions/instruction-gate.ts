import { BoundedMap } from "../../core/bounded-map.ts";
import type { InstructionLayer, InstructionRoots, InstructionRule } from "../../core/context/system-prompt.ts";
import type { Skill, SkillCatalogue } from "../../core/skills/skills.ts";
import type { Store } from "../../core/store/store.ts";
import { skillFilePath, skillFiles } from "../skills/skill-file.ts";
import type { SkillReader } from "../skills/skill-reader.ts";
import { hashOf } from "../wasm/workspace/read-file.ts";
import type { createInstructionReader } from "./instruction-layers.ts";

/** A text of a sandbox root that agents follow: an instruction file with what it imports, a skill, or a file of one. */
export interface InstructionText {
  /** As people know it: `AGENTS.md`, `.agents/skills/tidy/SKILL.md`. */
  readonly path: string;
  /** All that agents get of it. */
  readonly text: string;
  readonly sha256: string;
  readonly skill?: Skill;
}

/** Where a run works. */
export interface InstructedPlace {
  readonly channelKey: string;
  /** Absolute path. */
  readonly sandboxRoot: string;
}

interface Known extends InstructionRule {
  readonly found: readonly InstructionText[];
  /** What is allowed in the channel, by `allowanceOf`. */
  readonly allowed: ReadonlySet<string>;
}

/** Places that are kept in mind; of one that is forgotten nothing is followed until it is looked at again. */
const MOST_PLACES = 10_000;

const FOLLOWING = "@following:";

/** How grants name a text: by its path and what it says. No tool has a name that begins so. */
export function allowanceOf({ path, sha256 }: Pick<InstructionText, "path" | "sha256">): string {
  return `${FOLLOWING}${path}:${sha256}`;
}

type InstructionReader = ReturnType<typeof createInstructionReader>;

export type InstructionGate = ReturnType<typeof createInstructionGate>;

/**
 * Keeps what nobody has allowed from runs where a sandbox root's texts are followed only once somebody has. What is allowed
 * is looked up as a run begins (`look`) and holds until the next look at the place.
 */
export function createInstructionGate(store: Pick<Store, "grants">, layers: InstructionReader, skills: SkillReader) {
  const places = new BoundedMap<string, Known>(MOST_PLACES);
  const keyOf = ({ channelKey, sandboxRoot }: InstructedPlace) => `${channelKey}\n${sandboxRoot}`;
  const follows = (place: InstructedPlace, text: Pick<InstructionText, "path" | "sha256">): boolean => {
    const known = places.get(keyOf(place));
    return known !== undefined && (!known.asks || known.allowed.has(allowanceOf(text)));
  };
  return {
    async look(channelKey: string, roots: InstructionRoots, rule: InstructionRule): Promise<void> {
      const isMarked = rule.asks || rule.isRepository;
      const found = isMarked ? [...layersIn(layers, roots), ...skillTexts(skills, roots.sandboxRoot)] : [];
      const grants =
        rule.asks && found.length > 0 ? await store.grants.inForce({ sessionId: "", channelId: channelKey }) : [];
      const allowed = new Set(grants.map(({ key }) => key).filter((key) => key.startsWith(FOLLOWING)));
      places.set(keyOf({ channelKey, sandboxRoot: roots.sandboxRoot }), { ...rule, found, allowed });
    },

    /** Instruction files that are followed. */
    layers: (roots: InstructionRoots, channelKey: string): readonly InstructionLayer[] =>
      layers(roots, (layer) => follows({ ...roots, channelKey }, ofLayer(layer))),

    /** Skills that are followed, and of those that are not why. */
    skills: (sandboxRoot: string, channelKey: string): SkillCatalogue =>
      skills(sandboxRoot, (skill) => follows({ sandboxRoot, channelKey }, ofSkill(skill))),

    /** Whether a file of a skill's folder is followed; `file` relative to that folder. */
    followsFile: (place: InstructedPlace, skill: Skill, { file, sha256 }: { file: string; sha256: string }): boolean =>
      skill.origin !== "project" || follows(place, { path: skillFilePath(skill, file), sha256 }),

    /** What is there and not followed, by the last look. */
    waiting(place: InstructedPlace): readonly InstructionText[] {
      return (places.get(keyOf(place))?.found ?? []).filter((text) => !follows(place, text));
    },

    /** Whether anything of a git checkout is followed, by the last look. */
    followsRepository(place: InstructedPlace): boolean {
      const known = places.get(keyOf(place));
      return known?.isRepository === true && known.found.some((text) => follows(place, text));
    },
  };
}

function layersIn(layers: InstructionReader, roots: InstructionRoots): InstructionText[] {
  const found: InstructionText[] = [];
  layers(roots, (layer) => found.push(ofLayer(layer)) > 0);
  return found;
}

function ofLayer({ source, text }: InstructionLayer): InstructionText {
  return { path: source, text, sha256: hashOf(text) };
}

function skillTexts(skills: SkillReader, sandboxRoot: string): InstructionText[] {
  const own = skills(sandboxRoot).skills.filter(({ origin }) => origin === "project");
  return own.flatMap((skill) => [ofSkill(skill), ...skillFiles(skill, sandboxRoot)]);
}

/** All that a skill says to agents, and what it does to the run; what people see of it is what it is known by. */
function ofSkill(skill: Skill): InstructionText {
  const { name, description, whenToUse, tools, args, argumentHint, scope, isForPeopleOnly, body, source } = skill;
  const fields = { name, description, whenToUse, tools, args, argumentHint, scope, isForPeopleOnly };
  const lines = Object.entries(fields).map(([field, value]) => `${field}: ${JSON.stringify(value)}`);
  const text = [...lines, "", body].join("\n");
  return { path: source, text, sha256: hashOf(text), skill };
}
