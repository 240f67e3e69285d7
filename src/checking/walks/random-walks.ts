/**
 * @module
 * This folder explores instances that are too large to be searched: by random walks, which prove nothing.
 * A walk begins in the first world and carries out one possible action after another. It is a function of the seed
 * and its number alone. It depends neither on earlier walks nor on the numbers of messages and states.
 *
 * If every action had the same chance, nearly all faults would happen at the beginning, and timers would nearly
 * always fire early. So each walk first draws how rare actions of the environment are, and how rare timers are: one
 * of 2, 4, …, 64 on average, if there is something else to do.
 */

import type { Random, Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';
import { isFault, KIND, kindOf, nodeIn } from '../action-codes.ts';
import type { Coverage, NotedCoverage } from '../coverage.ts';
import { CoverageNotes } from '../coverage.ts';
import { TooManyValuesError } from '../interner.ts';
import type { Packed } from '../layout.ts';
import { emptyPacked } from '../layout.ts';
import { owedIn } from '../liveness/fairness.ts';
import { mix } from '../pair-table.ts';
import type { CheckedProperty } from '../property.ts';
import type { SearchCounts } from '../search.ts';
import { subjectOf } from '../traces/trace.ts';
import type { Judged } from '../visited/judge.ts';
import { Judge } from '../visited/judge.ts';
import { judgedWorlds } from '../visited/parts.ts';
import type { Worlds } from '../worlds.ts';

/** Which walks are carried out. JSON data. */
export interface WalkPlan {
  readonly count: number;
  /** Most actions of a walk. */
  readonly depth: number;
  readonly seed: Seed;
}

/** An execution that violates a property. */
export interface WalkedBreach {
  readonly property: CheckedProperty;
  /** Codes of the actions from the first world on. */
  readonly path: readonly number[];
  /** What is wrong in the last world, in words that follow a colon. */
  readonly breach: string;
}

/** Steps of nodes that are kept. More would be more memory than they save time. */
const STEPS_KEPT = 50_000;
/** How rare an action is: 1 in 2, 4, …, 2 to this power. */
const RARITIES = 6;

/** The walks of one thread. */
export class RandomWalks {
  readonly #options: Judged;
  readonly #plan: WalkPlan;
  readonly #stepsKept: number;
  #eventually: readonly CheckedProperty[];
  readonly #codes: number[] = [];
  readonly #choices: number[] = [];
  readonly #path: number[] = [];
  /** Hashes of actions by their codes. They do not depend on the numbers in the codes. */
  readonly #hashes = new Map<number, number>();
  readonly #coverage = new CoverageNotes();
  readonly #witnessed = new Set<string>();
  /** The `eventually` properties that no world of the walk has had, or that recur and the present one does not have. */
  #open: CheckedProperty[] = [];
  #worlds: Worlds;
  #judge: Judge;
  #source: Packed = emptyPacked();
  #target: Packed = emptyPacked();
  #states = 0;
  #transitions = 0;
  #depth = 0;
  #stepsBefore = 0;

  /** `stepsKept`: computed steps of nodes after which a walk begins with nothing numbered. They change no result. */
  constructor(options: Judged, plan: WalkPlan, stepsKept = STEPS_KEPT) {
    this.#options = options;
    this.#plan = plan;
    this.#stepsKept = stepsKept;
    this.#eventually = options.properties.filter(({ kind }) => kind === 'eventually');
    const { worlds, judge } = judgedWorlds(options);
    this.#worlds = worlds;
    this.#judge = judge;
  }

  get worlds(): Worlds {
    return this.#worlds;
  }

  /** What was done. A world counts as often as it was visited, because visited worlds are not kept. */
  get counts(): SearchCounts {
    return {
      states: this.#states,
      transitions: this.#transitions,
      depth: this.#depth,
      queue: 0,
      steps: this.#stepsBefore + this.#worlds.steps.computed,
      bytes: 0,
    };
  }

  get witnessed(): readonly string[] {
    this.#keepWitnesses();
    return [...this.#witnessed];
  }

  coverage(): Coverage {
    this.#coverage.add(this.#worlds.steps.coverage.noted);
    return this.#coverage.of(this.#options.instance);
  }

  /** A copy of what the coverage is made of. */
  noted(): NotedCoverage {
    this.#coverage.add(this.#worlds.steps.coverage.noted);
    return structuredClone(this.#coverage.noted);
  }

  /**
   * The walk with this index. Returns the violation in which it ends, if there is one. Throws TooManyValuesError if one
   * walk has more values than can be numbered.
   */
  walk(index: number): WalkedBreach | null {
    if (this.#worlds.steps.computed > this.#stepsKept) this.#forget();
    let found: WalkedBreach | null;
    try {
      found = this.#walkOnce(index);
    } catch (error) {
      if (!(error instanceof TooManyValuesError)) throw error;
      this.#forget();
      found = this.#walkOnce(index);
    }
    this.#states += this.#path.length + 1;
    this.#transitions += this.#path.length;
    this.#depth = Math.max(this.#depth, this.#path.length);
    return found;
  }

  /** From now on only this property is judged. */
  judgeOnly(property: CheckedProperty): void {
    this.#keepWitnesses();
    this.#eventually = this.#eventually.filter((each) => each === property);
    this.#judge = new Judge({ ...this.#options, properties: [property] }, this.#worlds);
  }

  /**
   * Carries out the actions of a path, without those that are not possible. Returns the first violation that it meets,
   * with the actions that were carried out; null if there is none.
   */
  follow(path: readonly number[]): WalkedBreach | null {
    this.#begin();
    for (const code of path) {
      const found = this.#breach();
      if (found !== null) return found;
      if (this.#codes.includes(code)) this.#take(code);
    }
    return this.#breach();
  }

  /** Begins with nothing numbered. */
  #forget(): void {
    this.#coverage.add(this.#worlds.steps.coverage.noted);
    this.#keepWitnesses();
    this.#stepsBefore += this.#worlds.steps.computed;
    const { worlds, judge } = judgedWorlds(this.#options);
    this.#worlds = worlds;
    this.#judge = judge;
    this.#hashes.clear();
  }

  #keepWitnesses(): void {
    for (const name of this.#judge.witnesses.keys()) this.#witnessed.add(name);
  }

  #walkOnce(index: number): WalkedBreach | null {
    const { depth, seed } = this.#plan;
    const random = createRandom(seed, 'walk', index);
    const rarities = {
      environment: 2 ** (1 + random.below(RARITIES)),
      timers: 2 ** (1 + random.below(RARITIES)),
    };
    this.#begin();
    for (;;) {
      const found = this.#breach();
      if (found !== null || this.#path.length >= depth) return found;
      if (!this.#step(random, rarities)) return null;
    }
  }

  /** Goes to the first world. */
  #begin(): void {
    this.#path.length = 0;
    this.#worlds.first(this.#source);
    this.#open = [...this.#eventually];
    this.#judge.violation = null;
    this.#arrive(true);
  }

  /** Judges the present world, and lists its actions. */
  #arrive(isVisible: boolean): void {
    const worlds = this.#worlds;
    const isAtRest = worlds.isAtRest(this.#source);
    if (isVisible || isAtRest) {
      this.#judge.judge(0, this.#source, isAtRest);
      const judged = this.#eventually.filter(
        (each) => each.recurs === true || this.#open.includes(each),
      );
      if (judged.length > 0) {
        const view = this.#judge.viewOf(this.#source, isAtRest);
        this.#open = judged.filter((property) => !property.holds(view));
      }
    }
    this.#codes.length = 0;
    worlds.enabled(this.#source, this.#codes);
    worlds.faults(this.#source, this.#codes);
  }

  /** The violation in the present world; null if there is none. An execution may end where nothing is owed. */
  #breach(): WalkedBreach | null {
    const { violation } = this.#judge;
    if (violation !== null) {
      return { property: violation.property, breach: violation.breach, path: [...this.#path] };
    }
    const [open] = this.#open;
    if (open === undefined || this.#isOwing()) return null;
    const view = this.#judge.viewOf(this.#source, this.#worlds.isAtRest(this.#source));
    return { property: open, breach: open.breach(view), path: [...this.#path] };
  }

  #isOwing(): boolean {
    return owedIn(this.#worlds, this.#source).length > 0;
  }

  /** Carries out an action of the present world. Returns false, and does nothing, if it is left out. */
  #take(code: number): boolean {
    this.#worlds.apply(this.#source, code, this.#target);
    if (!this.#worlds.isWithin) return false;
    [this.#source, this.#target] = [this.#target, this.#source];
    this.#path.push(code);
    this.#arrive(this.#worlds.isVisible);
    return true;
  }

  /** Carries out a random action. Returns false if there is none. */
  #step(
    random: Random,
    rarities: { readonly environment: number; readonly timers: number },
  ): boolean {
    const codes = this.#codes;
    const choices = this.#choices;
    while (codes.length > 0) {
      const isEnvironment = random.below(rarities.environment) === 0;
      const isTimer = random.below(rarities.timers) === 0;
      // If nothing of the wanted kind is possible, something else is done.
      const wanted: readonly Rarity[] = isEnvironment
        ? ['environment', isTimer ? 'timers' : 'others']
        : [isTimer ? 'timers' : 'others'];
      for (const rarity of [...wanted, ...RARITY_NAMES]) {
        choices.length = 0;
        for (const code of codes) if (rarityOf(code) === rarity) choices.push(code);
        if (choices.length > 0) break;
      }
      const code = this.#pick(random.below(2 ** 32));
      if (this.#take(code)) return true;
      codes.splice(codes.indexOf(code), 1);
    }
    return false;
  }

  /** One of the choices. It does not depend on their order, which depends on what was numbered first. */
  #pick(draw: number): number {
    let [best, least] = [0, Number.POSITIVE_INFINITY];
    for (const code of this.#choices) {
      const hash = mix(this.#hashOf(code) ^ draw) >>> 0;
      if (hash < least || (hash === least && this.#textOf(code) < this.#textOf(best))) {
        [best, least] = [code, hash];
      }
    }
    return best;
  }

  #hashOf(code: number): number {
    const known = this.#hashes.get(code);
    if (known !== undefined) return known;
    const text = this.#textOf(code);
    let hash = FNV_BASIS;
    for (let at = 0; at < text.length; at += 1) {
      hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
    }
    this.#hashes.set(code, hash);
    return hash;
  }

  /** What distinguishes an action from others, whatever the numbers in its code. */
  #textOf(code: number): string {
    return `${kindOf(code)} ${nodeIn(code)} ${subjectOf(code, this.#worlds.steps)}`;
  }
}

/** FNV-1a with 32 bits (G. Fowler, L. C. Noll, K.-P. Vo). */
const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

const RARITY_NAMES = ['others', 'timers', 'environment'] as const;
type Rarity = (typeof RARITY_NAMES)[number];

function rarityOf(code: number): Rarity {
  if (isFault(code)) return 'environment';
  return kindOf(code) === KIND.timeout ? 'timers' : 'others';
}
