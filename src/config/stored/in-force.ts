import type { Revision } from "../../core/store/revisions.ts";
import { settingsWith, withoutOwnKeys } from "../features.ts";
import type { Config, Origin } from "../resolve.ts";
import { type CheckSettings, type Fitted, fitSettings, fitStored } from "./fit.ts";
import { holdsAtOnce, ownParts, takeOver } from "./live.ts";
import { distinctBy, leafPaths, over, type Path, type Plain, valueAt } from "./plain.ts";

/** Where the settings are among all that is set on the page. */
export const SETTINGS_REVISION = { kind: "settings", name: "" } as const;

type Stored = Pick<Revision, "content"> | null;

/** What the operator has set: what the program goes by, and how what the page sets gets there. */
export class SettingsInForce {
  /** Everybody's; what holds at once changes within it. */
  readonly config: Config;
  readonly #check: CheckSettings;
  #begun: Fitted;
  #now: Fitted;

  /** `config` is of the layers above alone. */
  constructor(config: Config, check: CheckSettings) {
    this.config = { ...config, ...ownParts(config) };
    this.#check = check;
    this.#begun = this.#now = { config, set: {}, leftOut: [] };
  }

  get origin(): Origin {
    return this.config.origin;
  }

  /** What is left out of the newest revision. */
  get leftOut(): Fitted["leftOut"] {
    return this.#now.leftOut;
  }

  /** What of the newest revision is good, whether it holds already or after a restart. */
  get set(): Plain {
    return this.#now.set;
  }

  /** As all would be after a restart. */
  get next(): Config {
    return this.#now.config;
  }

  /** Once, before anything else has seen the configuration. */
  begin(newest: Stored): void {
    this.#begun = this.#now = fitStored(newest?.content ?? null, this.origin, this.#check);
    Object.assign(this.config, this.#now.config, ownParts(this.#now.config));
  }

  /** What would come of these settings; nothing changes. */
  look(set: Plain): Fitted {
    return fitSettings(set, this.origin, this.#check);
  }

  /** Another revision is the newest. */
  apply(newest: Stored): void {
    this.#now = fitStored(newest?.content ?? null, this.origin, this.#check);
    takeOver(this.config, this.#now.config);
  }

  /** Where what is set differs from what the program has begun with, and will hold after a restart. */
  awaitingRestart(): Path[] {
    return this.differences(this.#begun.set, this.#now.set).filter((path) => !holdsAtOnce(path));
  }

  /** Where one set of the page's settings makes another value than the other does. */
  differences(one: Plain, other: Plain): Path[] {
    const [a, b] = [this.values(one), this.values(other)];
    const all = [...leafPaths(a), ...leafPaths(b)].filter((path) => !isSame(valueAt(a, path), valueAt(b, path)));
    return distinctBy(all, (path) => path);
  }

  /** All settings, with defaults where nothing is set. */
  values(set: Plain): unknown {
    const { layers, features } = this.origin;
    const raw = withoutOwnKeys(over(layers.file.value, set), features);
    const { success, data } = settingsWith(features).safeParse(raw);
    return success ? data : raw;
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
