import { BoundedMap } from "../../core/bounded-map.ts";
import type { InstructionLayer, InstructionRoots, InstructionRule } from "../../core/context/system-prompt.ts";
import type { Skill, SkillCatalogue } from "../../core/skills/skills.ts";
import type { Store } from "../../core/store/store.ts";
import { skillFilePath, skillFiles } from "../skills/skill-file.ts";
import type { SkillReader } from "../skills/skill-reader.ts";
import { hashOf } from "../wasm/workspace/read-file.ts";
import type { createInstructionReader } from "./instruction-layers.ts";

/** A text of a sandbox root that agents follow: an instruction file with its imports, a skill, or a file of a skill. */
export interface InstructionText {
  /** The path shown to people: `AGENTS.md`, `.agents/skills/tidy/SKILL.md`. */
  readonly path: string;
  /** The whole text that agents receive. */
  readonly text: string;
  readonly sha256: string;
  readonly skill?: Skill;
}

/** The place where a run works. */
export interface InstructedPlace {
  readonly channelKey: string;
  /** Absolute path. */
  readonly sandboxRoot: string;
}

interface Known extends InstructionRule {
  readonly found: readonly InstructionText[];
  /** Keys of the texts allowed in the channel, from `instructionGrantKey`. */
  readonly allowed: ReadonlySet<string>;
}

/** Maximum number of places to remember. If one is dropped, nothing of it is followed until the next look at it. */
const MAX_PLACES = 10_000;

const FOLLOWING = "@following:";

/** Grant key of a text, made of its path and content hash. No tool name begins with this prefix. */
export function instructionGrantKey({ path, sha256 }: Pick<InstructionText, "path" | "sha256">): string {
  return `${FOLLOWING}${path}:${sha256}`;
}

type InstructionReader = ReturnType<typeof createInstructionReader>;

export type InstructionGate = ReturnType<typeof createInstructionGate>;

/**
 * Withholds texts that nobody has allowed from runs in places whose rule asks first. Grants are looked up as a run
 * begins (`look`), and the result holds until the next look at the place.
 */
export function createInstructionGate(store: Pick<Store, "grants">, layers: InstructionReader, skills: SkillReader) {
  const places = new BoundedMap<string, Known>(MAX_PLACES);
  const keyOf = ({ channelKey, sandboxRoot }: InstructedPlace) => `${channelKey}\n${sandboxRoot}`;
  const follows = (place: InstructedPlace, text: Pick<InstructionText, "path" | "sha256">): boolean => {
    const known = places.get(keyOf(place));
    return known !== undefined && (!known.asks || known.allowed.has(instructionGrantKey(text)));
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

    /** Instruction files that may be followed. */
    layers: (roots: InstructionRoots, channelKey: string): readonly InstructionLayer[] =>
      layers(roots, (layer) => follows({ ...roots, channelKey }, ofLayer(layer))),

    /** Skills that may be followed, and why the others may not. */
    skills: (sandboxRoot: string, channelKey: string): SkillCatalogue =>
      skills(sandboxRoot, (skill) => follows({ sandboxRoot, channelKey }, ofSkill(skill))),

    /** Whether a file of a skill's folder may be followed; `file` is relative to that folder. */
    followsFile: (place: InstructedPlace, skill: Skill, { file, sha256 }: { file: string; sha256: string }): boolean =>
      skill.origin !== "project" || follows(place, { path: skillFilePath(skill, file), sha256 }),

    /** Texts that the last look found and that may not be followed. */
    waiting(place: InstructedPlace): readonly InstructionText[] {
      return (places.get(keyOf(place))?.found ?? []).filter((text) => !follows(place, text));
    },

    /** Whether any text of a git checkout is followed, as of the last look. */
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

/**
 * A skill as an instruction text: everything it tells agents and does to the run, known by the path that people see.
 */
function ofSkill(skill: Skill): InstructionText {
  const { name, description, whenToUse, tools, args, argumentHint, scope, isForPeopleOnly, body, source } = skill;
  const fields = { name, description, whenToUse, tools, args, argumentHint, scope, isForPeopleOnly };
  const lines = Object.entries(fields).map(([field, value]) => `${field}: ${JSON.stringify(value)}`);
  const text = [...lines, "", body].join("\n");
  return { path: source, text, sha256: hashOf(text), skill };
}
