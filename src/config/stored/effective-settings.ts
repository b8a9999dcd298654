import type { Revision } from "../../core/store/revisions.ts";
import { settingsWith, withoutOwnKeys } from "../features.ts";
import type { Config, Origin } from "../resolve.ts";
import { type AppliedSettings, applySettings, applyStored, type CheckSettings } from "./apply-stored.ts";
import { appliesAtOnce, cloneLiveParts, updateInPlace } from "./live.ts";
import { distinctBy, leafPaths, mergeOver, type Path, type Plain, valueAt } from "./plain.ts";

/** The key of the settings among the revisions of everything set on the page. */
export const SETTINGS_REVISION = { kind: "settings", name: "" } as const;

type Stored = Pick<Revision, "content"> | null;

/** The settings in effect: those of the operator, combined with those of the page. */
export class EffectiveSettings {
  /** The shared configuration. Settings that take effect at once change within it. */
  readonly config: Config;
  readonly #check: CheckSettings;
  #begun: AppliedSettings;
  #now: AppliedSettings;

  /** `config` comes from the layers above alone. */
  constructor(config: Config, check: CheckSettings) {
    this.config = { ...config, ...cloneLiveParts(config) };
    this.#check = check;
    this.#begun = this.#now = { config, set: {}, skipped: [] };
  }

  get origin(): Origin {
    return this.config.origin;
  }

  /** Parts of the newest revision that are skipped. */
  get skipped(): AppliedSettings["skipped"] {
    return this.#now.skipped;
  }

  /** The valid part of the newest revision, whether in effect already or after a restart. */
  get set(): Plain {
    return this.#now.set;
  }

  /** The configuration as it would be after a restart. */
  get next(): Config {
    return this.#now.config;
  }

  /** Applies the stored settings once, before anything else uses the configuration. */
  begin(newest: Stored): void {
    this.#begun = this.#now = applyStored(newest?.content ?? null, this.origin, this.#check);
    Object.assign(this.config, this.#now.config, cloneLiveParts(this.#now.config));
  }

  /** Previews settings without changing anything. */
  preview(set: Plain): AppliedSettings {
    return applySettings(set, this.origin, this.#check);
  }

  /** Applies a new revision. */
  apply(newest: Stored): void {
    this.#now = applyStored(newest?.content ?? null, this.origin, this.#check);
    updateInPlace(this.config, this.#now.config);
  }

  /** Paths whose settings differ from those at the start and take effect only after a restart. */
  awaitingRestart(): Path[] {
    return this.differences(this.#begun.set, this.#now.set).filter((path) => !appliesAtOnce(path));
  }

  /** Paths at which two sets of the page's settings lead to different values. */
  differences(one: Plain, other: Plain): Path[] {
    const [a, b] = [this.values(one), this.values(other)];
    const all = [...leafPaths(a), ...leafPaths(b)].filter((path) => !isSame(valueAt(a, path), valueAt(b, path)));
    return distinctBy(all, (path) => path);
  }

  /** All settings, including defaults. */
  values(set: Plain): unknown {
    const { layers, features } = this.origin;
    const raw = withoutOwnKeys(mergeOver(layers.file.value, set), features);
    const { success, data } = settingsWith(features).safeParse(raw);
    return success ? data : raw;
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
