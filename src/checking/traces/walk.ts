/**
 * @module
 * A walk through the worlds of a check, one chosen action after another.
 */

import type { Separation } from '../../election/world/world.ts';
import type { World } from '../../election/world/world-state.ts';
import { isFault } from '../action-codes.ts';
import { Debts, describeDebt, doneBy, owedIn } from '../liveness/fairness.ts';
import type { CheckedProperty } from '../property.ts';
import type { Judge, Judged } from '../visited/judge.ts';
import { judgedWorlds } from '../visited/parts.ts';
import type { Worlds } from '../worlds.ts';
import type { TracedAction, TracedWorld } from './trace.ts';
import { firstTraced, orderedCodes, traceStep } from './trace.ts';

/** One action that is possible. */
export interface Offer {
  readonly code: number;
  /** Whether the environment or a Byzantine node acts. */
  readonly isFault: boolean;
  /** What would happen. */
  readonly actions: readonly TracedAction[];
}

/** A property in the present world. */
export interface Judgement {
  readonly property: CheckedProperty;
  readonly holds: boolean;
  /** What is wrong, as words that follow a colon; null if it holds. */
  readonly breach: string | null;
}

interface WalkedStep {
  readonly index: number;
  /** What the step does of what was owed before it. */
  readonly done: readonly number[];
  readonly code: number;
  readonly at: TracedWorld;
  /** The actions of this step. */
  readonly actions: readonly TracedAction[];
}

export class Walk {
  readonly #worlds: Worlds;
  readonly #judge: Judge;
  readonly #properties: readonly CheckedProperty[];
  readonly #first: TracedWorld;
  readonly #steps: WalkedStep[] = [];

  constructor(judged: Judged) {
    const { worlds, judge } = judgedWorlds(judged);
    this.#worlds = worlds;
    this.#judge = judge;
    this.#properties = judged.properties;
    this.#first = firstTraced(worlds);
  }

  /** Indexes of the chosen actions. */
  get address(): readonly number[] {
    return this.#steps.map(({ index }) => index);
  }

  /** What has happened. */
  get actions(): readonly TracedAction[] {
    return this.#steps.flatMap(({ actions }) => actions);
  }

  /** How many of the actions belong to the last step. */
  get lastActions(): number {
    return this.#steps.at(-1)?.actions.length ?? 0;
  }

  /** The partition that lasts; null without one. */
  get partition(): Separation | null {
    return this.#worlds.cutIn(this.#at.packed);
  }

  /** The rank of the store; null without one. */
  get store(): number | null {
    return this.#worlds.instance.cast.store;
  }

  /** The present world in the reference semantics. */
  get world(): World {
    return this.#at.world;
  }

  /** Whether nothing more happens without the environment. */
  get isAtRest(): boolean {
    return this.#worlds.isAtRest(this.#at.packed);
  }

  /** What is possible, in the order of the address: the protocol and its network first, then the environment. */
  *offers(): Generator<Offer, void> {
    const at = this.#at;
    for (const code of orderedCodes(this.#worlds, at.packed)) {
      yield {
        code,
        isFault: isFault(code),
        actions: traceStep(this.#worlds, at, code).actions,
      };
    }
  }

  /** Carries out the action with this index. Returns false if there is none. */
  take(index: number): boolean {
    const code = orderedCodes(this.#worlds, this.#at.packed)[index];
    if (code === undefined) return false;
    const { to: at, actions } = traceStep(this.#worlds, this.#at, code);
    const done = doneBy(this.#worlds, code, this.#at.packed);
    this.#steps.push({ index, code, done, at, actions });
    return true;
  }

  /** Goes back by one action. Returns false in the first world. */
  undo(): boolean {
    return this.#steps.pop() !== undefined;
  }

  /** Each property in the present world. An `eventually` property holds in a world that an execution must reach. */
  judge(): Judgement[] {
    const view = this.#judge.viewOf(this.#at.packed, this.isAtRest);
    return this.#properties.map((property) => {
      const holds = property.holds(view);
      return { property, holds, breach: holds ? null : property.breach(view) };
    });
  }

  /** Whether the present world equals the one after this number of steps. */
  isWorldAfter(steps: number): boolean {
    const [then, now] = [this.#worldAfter(steps).packed, this.#at.packed];
    const words = now.words.subarray(0, now.length);
    return then.length === now.length && words.every((word, at) => word === then.words[at]);
  }

  /**
   * Something that a fair execution must still do, as words: of what is owed in the present world, or, if the steps from
   * `repeatsFrom` on repeat for ever, of what they never do. Null if there is nothing, as in an execution that violates
   * an `eventually` property.
   */
  debt(repeatsFrom: number | null): string | null {
    const before = repeatsFrom === null ? this.#at : this.#worldAfter(repeatsFrom);
    const debts = new Debts(owedIn(this.#worlds, before.packed));
    for (const { done, at } of repeatsFrom === null ? [] : this.#steps.slice(repeatsFrom)) {
      debts.settle(done, owedIn(this.#worlds, at.packed));
    }
    const [code] = debts.codes;
    return code === undefined ? null : describeDebt(code, this.#worlds.steps);
  }

  #worldAfter(steps: number): TracedWorld {
    const after = steps === 0 ? this.#first : this.#steps[steps - 1]?.at;
    if (after === undefined) throw new RangeError(`"steps" expected at most ${this.#steps.length}`);
    return after;
  }

  get #at(): TracedWorld {
    return this.#steps.at(-1)?.at ?? this.#first;
  }
}
