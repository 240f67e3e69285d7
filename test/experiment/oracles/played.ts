/**
 * @module
 * The probability of a property over epochs, by going through every course of a small instance: each honest node and each
 * key of the adversary gets its place among all IDs, each test succeeds or fails. The plans follow the words of the
 * schema. Nothing is imported from the product.
 */

import { chanceOf, HONEST } from './orders.ts';
import type { Bettor } from './sparing.ts';
import { bettorOf } from './sparing.ts';

export interface Played {
  readonly property: PlayedProperty;
  readonly count: number;
  readonly honest: number;
  /** Most attempts of an honest node in a window. Null if unlimited. */
  readonly honestAttempts: number | null;
  readonly c1: number;
  readonly epochs: number;
  readonly lifetime: number | null;
  readonly salt: 'none' | 'puzzle' | 'rank' | 'both';
  readonly plan: 'fresh' | 'retest' | 'informed' | 'sparing' | 'inflating';
  readonly stock: number;
  /** The budget of a window, and what a key, the test of a kept key and that of a new one take of it. */
  readonly budget: number;
  readonly costs: { readonly key: number; readonly kept: number; readonly fresh: number };
  /** Whether a part of a key is the beginning of one in the next window. */
  readonly isSaved: boolean;
  /** Share of a saved budget for keys before claims count, and number of windows for the rest. Null: not stated. */
  readonly division: { readonly early: number; readonly windows: number } | null;
  /** Beacons among which the adversary chooses. */
  readonly beacons: number;
  /** Null if the difficulty is constant. */
  readonly retargeting: { readonly joins: number; readonly stepBits: number } | null;
}

export type PlayedProperty =
  | 'adversary-leads'
  | 'adversary-leads-once'
  | 'leads-more-than-share'
  | 'top-captured'
  | 'successors-captured'
  | 'majority-captured'
  | 'majority-denied'
  | 'honest-priced-out';

/** A moment of a course. */
interface Moment {
  readonly epoch: number;
  readonly bits: number;
  /**
   * All IDs, the highest first. Claims are letters, capital ones of honest nodes: Z is one for ever, A one that ends with
   * this epoch, B with the next one. `o` is a kept key that can be tested, `f` one that cannot in this window, and `v` a
   * valid key that is not registered. A point is an
   * ID that only decides where others are.
   */
  readonly order: string;
  readonly left: number;
  readonly joins: number;
  /** Epochs that the adversary led, without its shares of the identities in all of them. */
  readonly ahead: number;
}

const OF_HONEST = /[A-Z]/g;
const OF_ADVERSARY = /[a-dz]/g;

function countOf(order: string, pattern: RegExp): number {
  return order.match(pattern)?.length ?? 0;
}

export function playedOracle(game: Played): number {
  const { property, plan, salt, honest } = game;
  const isAimed = plan === 'informed' && (salt === 'none' || salt === 'puzzle');
  if (property !== 'successors-captured' || !isAimed) return new Course(game, false).probability();
  // Seen from the victim, the next honest node is the highest one of the others.
  return new Course({ ...game, property: 'top-captured', honest: honest - 1 }, true).probability();
}

class Course {
  readonly #game: Played;
  readonly #known = new Map<string, number>();
  readonly #isSalted: boolean;
  readonly #isLastOnly: boolean;
  /** Whether it wants IDs that are high. */
  readonly #isAiming: boolean;
  readonly #isEach: boolean;
  /** Whether the spots of IDs decide anything before the last ranking. */
  readonly #isOrdered: boolean;
  readonly #life: string;
  /** Whether no ID is better than another in a window whose honest IDs do not matter, because the victim is another one. */
  readonly #isBlind: boolean;
  /** An adversary that registers only some of its valid keys. */
  readonly #bettor: Bettor | null;
  /** Whether it tries every number of keys to register, and with savings every end of its work in a window. */
  readonly #isSearching: boolean;
  readonly #isSaving: boolean;

  constructor(game: Played, isBlind: boolean) {
    this.#isBlind = isBlind;
    const { salt, property, plan, lifetime } = game;
    this.#game = game;
    this.#isSalted = salt === 'puzzle' || salt === 'both';
    // With a puzzle and few keys, an adversary that bets does not save.
    const isSteering = plan === 'inflating' || (plan === 'sparing' && game.c1 === 0);
    this.#isSaving = isSteering && game.isSaved && this.#isSalted;
    this.#isSearching = plan === 'inflating' || this.#isSaving;
    this.#bettor = plan === 'sparing' && !this.#isSearching ? bettorOf(game) : null;
    this.#isEach = property === 'adversary-leads-once' || property === 'leads-more-than-share';
    this.#isLastOnly = !this.#isEach && property !== 'honest-priced-out';
    const wantsTop = this.#isEach || property === 'adversary-leads' || property === 'top-captured';
    this.#isAiming = wantsTop && (salt === 'none' || salt === 'puzzle');
    const isChoosing = plan === 'informed' || (plan === 'retest' && salt === 'puzzle');
    this.#isOrdered = this.#isAiming && (this.#isEach || isChoosing);
    this.#life = this.#isSalted && lifetime !== null ? (' ABCD'[lifetime] ?? '?') : 'Z';
  }

  probability(): number {
    const { stock, plan, c1 } = this.#game;
    const isKept = this.#isSalted;
    const prepare = (left: number, order: string): number => {
      const first = { epoch: 0, bits: c1, order, left: 0, joins: 0, ahead: 0 };
      if (left === 0) return this.#begin(first);
      if (isKept) return this.#placed(order, 'o', (next) => prepare(left - 1, next));
      return this.#tested(c1, (isValid) =>
        isValid
          ? this.#placed(order, this.#isAll ? 'z' : 'v', (next) => prepare(left - 1, next))
          : prepare(left - 1, order),
      );
    };
    return prepare(isKept && plan === 'fresh' ? 0 : stock, '');
  }

  #once(key: string, value: () => number): number {
    const before = this.#known.get(key);
    if (before !== undefined) return before;
    const result = value();
    this.#known.set(key, result);
    return result;
  }

  /** The mean over the spots of a new ID. */
  #placed(order: string, kind: string, value: (order: string) => number): number {
    if (!this.#isOrdered) return value([...order, kind].sort().join(''));
    const spots = new Map<string, number>();
    for (let at = 0; at <= order.length; at += 1) {
      const next = order.slice(0, at) + kind + order.slice(at);
      spots.set(next, (spots.get(next) ?? 0) + 1 / (order.length + 1));
    }
    return [...spots].reduce((sum, [next, weight]) => sum + weight * value(next), 0);
  }

  #tested(bits: number, value: (isValid: boolean) => number): number {
    const chance = 2 ** -bits;
    return chance * value(true) + (chance === 1 ? 0 : (1 - chance) * value(false));
  }

  /** `left` is what the window before has begun. */
  #begin(moment: Moment): number {
    const { epoch, order, left } = moment;
    return this.#once(JSON.stringify(moment), () => {
      const lacking = this.#game.honest - countOf(order, OF_HONEST);
      const budget = this.#isSaving ? this.#game.budget : this.#budgetOf(epoch);
      return this.#join({ ...moment, left: left + budget }, lacking);
    });
  }

  #budgetOf(epoch: number): number {
    const { isSaved, budget, epochs, lifetime, division } = this.#game;
    const isMoved = isSaved && this.#isLastOnly && this.#isSalted;
    const counting = Math.min(lifetime ?? epochs, epochs);
    const windows = division?.windows ?? (isMoved ? counting : epochs);
    const early = Math.floor((division?.early ?? 0) * epochs * budget);
    const part = (amount: number, parts: number, index: number) =>
      Math.floor(((index + 1) * amount) / parts) - Math.floor((index * amount) / parts);
    if (early > 0 && epoch < epochs - counting) return part(early, epochs - counting, epoch);
    const index = epoch - epochs + windows;
    return index < 0 ? 0 : part(epochs * budget - early, windows, index);
  }

  /** Honest nodes without a claim try to get one. */
  #join(moment: Moment, lacking: number): number {
    if (lacking === 0) return this.#act(moment);
    const { honestAttempts } = this.#game;
    const chance = honestAttempts === null ? 1 : 1 - (1 - 2 ** -moment.bits) ** honestAttempts;
    const out = chance === 1 ? 0 : (1 - chance) * this.#join(moment, lacking - 1);
    if (chance === 0) return out;
    const joins = moment.joins + 1;
    const joined = this.#placed(moment.order, this.#life, (order) =>
      this.#join({ ...moment, order, joins }, lacking - 1),
    );
    return out + chance * joined;
  }

  /** Whether it registers all valid keys. */
  get #isAll(): boolean {
    return this.#bettor === null && !this.#isSearching;
  }

  get #valid(): string {
    return this.#isAll ? this.#life.toLowerCase() : 'v';
  }

  /** What is registered of the valid keys. */
  #chosen({ epoch, order, ahead }: Moment): string {
    if (this.#bettor === null) return order;
    const [honest, keys] = [countOf(order, OF_HONEST), countOf(order, /v/g)];
    const { lifetime, epochs } = this.#game;
    const claims = Array.from({ length: Math.min(lifetime ?? epochs, epochs - epoch) }, (_, at) =>
      lifetime === null && at === epochs - epoch - 1 ? countOf(order, /z/g) : 0,
    );
    for (const kind of lifetime === null ? [] : (order.match(/[a-d]/g) ?? [])) {
      const at = Math.min('abcd'.indexOf(kind), epochs - epoch - 1);
      claims[at] = (claims[at] ?? 0) + 1;
    }
    let left = this.#bettor({ epoch, ahead, claims, keys, honest });
    const claim = lifetime === null ? 'z' : (' abcd'[lifetime] ?? '?');
    const chosen = order.replaceAll('v', () => {
      left -= 1;
      return left >= 0 ? claim : this.#isSalted ? 'f' : 'v';
    });
    return [...chosen].sort().join('');
  }

  /** The next thing that the adversary does in a window. */
  #act(moment: Moment): number {
    return this.#once(`act ${JSON.stringify(moment)}`, () => {
      if (!this.#isSaving) return this.#work(moment);
      const stopped = this.#end(moment);
      const { key, fresh, kept } = this.#game.costs;
      const isOpen = moment.order.includes('o') && moment.left >= kept;
      return isOpen || moment.left >= key + fresh ? Math.max(stopped, this.#work(moment)) : stopped;
    });
  }

  /** The next thing, if it does not end its work. */
  #work(moment: Moment): number {
    return this.#once(`work ${JSON.stringify(moment)}`, () => {
      const { plan, costs } = this.#game;
      const { order, left } = moment;
      if (plan !== 'fresh' && this.#isAbove(moment)) return this.#actAbove(moment);
      // If attempts are counted, the test of a new key is free.
      const isCounted = costs.kept > costs.fresh;
      const isMaking = plan !== 'fresh' && this.#isHoard(moment) && !isCounted;
      const open = order.indexOf('o');
      if (open >= 0 && left >= costs.kept && plan !== 'fresh' && !this.#isHoard(moment)) {
        if (!this.#isBlind) return this.#retest(moment, open);
        const all = [...order.matchAll(/o/g)];
        return all.reduce((sum, { index }) => sum + this.#retest(moment, index), 0) / all.length;
      }
      if (!isMaking && left >= costs.key + costs.fresh) {
        return this.#tested(moment.bits, (isValid) => {
          const rest = { ...moment, left: left - costs.key - costs.fresh };
          if (!isValid && (plan === 'fresh' || !this.#isSalted)) return this.#act(rest);
          return this.#made(rest, isValid);
        });
      }
      return this.#leave(moment);
    });
  }

  /** It keeps the rest of a window as keys, or as the beginning of one. */
  #leave(moment: Moment): number {
    const { plan, costs } = this.#game;
    if (this.#isSalted && plan !== 'fresh' && moment.left >= costs.key) {
      return this.#made({ ...moment, left: moment.left - costs.key }, false);
    }
    return this.#end(moment);
  }

  #made(moment: Moment, isValid: boolean): number {
    const { joins } = moment;
    const kind = isValid ? this.#valid : this.#isSalted ? 'f' : '.';
    return this.#placed(moment.order, kind, (order) =>
      this.#act({ ...moment, order, joins: isValid && this.#isAll ? joins + 1 : joins }),
    );
  }

  #retest(moment: Moment, at: number): number {
    const { order, joins, left } = moment;
    return this.#tested(moment.bits, (isValid) => {
      const kind = isValid ? this.#valid : 'f';
      const next = order.slice(0, at) + kind + order.slice(at + 1);
      return this.#act({
        ...moment,
        order: this.#isOrdered ? next : [...next].sort().join(''),
        joins: isValid && this.#isAll ? joins + 1 : joins,
        left: left - this.#game.costs.kept,
      });
    });
  }

  /** Claims of this window are worth nothing when it matters. */
  #isHoard({ epoch }: Moment): boolean {
    const { lifetime, epochs } = this.#game;
    return this.#isLastOnly && this.#isSalted && lifetime !== null && epoch + lifetime < epochs;
  }

  /** It knows the honest IDs that matter. */
  #isAbove(moment: Moment): boolean {
    const { plan, salt, lifetime, epochs } = this.#game;
    if (plan !== 'informed' || !this.#isAiming || this.#isHoard(moment)) return false;
    const generation = (at: number) => (lifetime === null ? 0 : Math.floor(at / lifetime));
    const isFinal = generation(moment.epoch) === generation(epochs - 1);
    return salt === 'none' || !this.#isLastOnly || isFinal;
  }

  /** Until enough claims are above the honest ones, it tests the keys above them, and no other. */
  #actAbove(moment: Moment): number {
    const { costs, count, property } = this.#game;
    const { order, left } = moment;
    const top = order.search(OF_HONEST);
    const above = top < 0 ? order : order.slice(0, top);
    const wanted = property === 'top-captured' ? count : 1;
    if (countOf(above, OF_ADVERSARY) >= wanted) return this.#leave(moment);
    const open = above.indexOf('o');
    if (open >= 0 && left >= costs.kept) return this.#retest(moment, open);
    if (left < costs.key + costs.fresh) return this.#leave(moment);
    return this.#placed(order, '?', (placed) => {
      const isAbove = top < 0 || placed.indexOf('?') <= top;
      const become = (isValid: boolean) => {
        const kind = isValid ? this.#life.toLowerCase() : this.#isSalted ? 'f' : '.';
        const paid = costs.key + (isAbove ? costs.fresh : 0);
        const next = placed.replace('?', kind);
        const joins = moment.joins + (isValid ? 1 : 0);
        return this.#act({ ...moment, order: next, left: left - paid, joins });
      };
      return isAbove ? this.#tested(moment.bits, become) : become(false);
    });
  }

  #end(moment: Moment): number {
    if (!this.#isSearching) return this.#close({ ...moment, order: this.#chosen(moment) });
    const claim = this.#life.toLowerCase();
    const keys = countOf(moment.order, /v/g);
    return Math.max(
      ...Array.from({ length: keys + 1 }, (_, registered) => {
        let left = registered;
        const order = moment.order.replaceAll('v', () => {
          left -= 1;
          return left >= 0 ? claim : 'f';
        });
        const joins = moment.joins + registered;
        return this.#close({ ...moment, order: [...order].sort().join(''), joins });
      }),
    );
  }

  #close(moment: Moment): number {
    const { epoch, left, joins, bits, order } = moment;
    const { epochs, property, plan, costs, retargeting } = this.#game;
    const chance = this.#isEach || epoch === epochs - 1 ? this.#ranked(order) : 0;
    if (!this.#isEach && epoch === epochs - 1) return chance;
    const [own, all] = [countOf(order, OF_ADVERSARY), countOf(order, /[A-Za-dz]/g)];
    const isKept = this.#isSalted && plan !== 'fresh';
    const aged = order.replace(/[^.]/g, (kind) => {
      if (kind === 'f' || kind === 'o') return 'o';
      if (kind.toLowerCase() === 'z' || kind === 'v') return kind;
      if (kind === 'A') return '.';
      if (kind === 'a') return isKept ? 'o' : this.#bettor === null ? '.' : 'v';
      return String.fromCharCode(kind.charCodeAt(0) - 1);
    });
    const kept = this.#isOrdered ? aged : [...aged.replaceAll('.', '')].sort().join('');
    const isBegun = !this.#isSalted && costs.fresh + costs.key > left;
    const step = retargeting === null ? 0 : Math.round(Math.log2(joins / retargeting.joins));
    const most = retargeting?.stepBits ?? 0;
    const next = Math.max(0, bits + Math.max(-most, Math.min(most, step)));
    const begun = isBegun || this.#isSaving ? left : 0;
    const later = { epoch: epoch + 1, bits: next, order: kept, left: begun };
    const rest = { ...later, joins: 0 };
    const ended = (isLed: boolean) => {
      if (property === 'adversary-leads-once' && isLed) return 1;
      const led = moment.ahead + (isLed ? 1 : 0) - (all === 0 ? 0 : own / all);
      const ahead = property === 'leads-more-than-share' ? Math.round(led * 1e9) / 1e9 : 0;
      return epoch === epochs - 1 ? Number(ahead > 1e-6) : this.#begin({ ...rest, ahead });
    };
    return (chance && chance * ended(true)) + (chance === 1 ? 0 : (1 - chance) * ended(false));
  }

  /** The probability of the property, of a lead for that of each epoch. */
  #ranked(order: string): number {
    const { property, count, honest, salt, beacons } = this.#game;
    const claims = [...order].flatMap((kind) => {
      if (/[A-Z]/.test(kind)) return [HONEST];
      return /[a-dz]/.test(kind) ? [0] : [];
    });
    const forged = claims.filter((owner) => owner !== HONEST).length;
    if (property === 'honest-priced-out') return 2 * (claims.length - forged) < honest ? 1 : 0;
    const isEach = property === 'adversary-leads-once' || property === 'leads-more-than-share';
    const asked = {
      ...{ honest, c1: 0, adversaries: [], sides: [[0]], count },
      property: isEach ? ('adversary-leads' as const) : property,
    };
    if (this.#isOrdered) return chanceOf(asked, claims) || 0;
    const choices = salt === 'none' || salt === 'puzzle' ? 1 : beacons;
    const wanted = property === 'top-captured' ? count : 1;
    return this.#once(`rank ${claims.length} ${forged}`, () => {
      if (property === 'successors-captured') {
        // Each beacon draws the nodes after the victim again.
        const all = [...rankings(forged, claims.length - forged)];
        const sum = all.reduce((total, ranking) => total + (chanceOf(asked, ranking) || 0), 0);
        return 1 - (1 - sum / all.length) ** choices;
      }
      let [orders, leads, leadsWith, loses] = [0, 0, 0, 0];
      for (const ranking of rankings(forged, claims.length - forged)) {
        const isLed = ranking.length >= wanted && ranking.slice(0, wanted).every((at) => at === 0);
        const chance = chanceOf(asked, ranking) || 0;
        orders += 1;
        if (isLed) leads += 1;
        if (isLed) leadsWith += chance;
        else loses += chance;
      }
      const lost = 1 - leads / orders;
      const reached = 1 - lost ** choices;
      return (
        (leads === 0 ? 0 : (leadsWith / leads) * reached) + (loses / orders) * lost ** (choices - 1)
      );
    });
  }
}

/** Every order of two kinds of claims. */
function* rankings(forged: number, honest: number): Generator<readonly number[]> {
  if (forged + honest === 0) yield [];
  if (forged > 0) for (const rest of rankings(forged - 1, honest)) yield [0, ...rest];
  if (honest > 0) for (const rest of rankings(forged, honest - 1)) yield [HONEST, ...rest];
}
