/**
 * @module
 * A network under churn, event by event: sessions join and leave, an adversary buys IDs, and a defence sets the price,
 * estimates the join rate, purges and retires. A purchase is one step, however many IDs the adversary buys. It ends where
 * a purge or an estimate may follow.
 */

import { z } from 'zod';
import type { ChurnAdversary } from './adversaries.ts';
import { affordable, costOf } from './adversaries.ts';
import type { ChurnRules } from './defence.ts';
import { EventQueue } from './event-queue.ts';
import { RecentJoins } from './recent-joins.ts';
import type { Sessions } from './sessions.ts';

/** In quiet times the adversary buys when it can pay for this share of the members, at least one ID. */
export const QUIET_SHARE = 1 / 20;

export interface ChurnQuestion {
  readonly rules: ChurnRules;
  readonly adversary: ChurnAdversary;
  readonly sessions: Sessions;
  /** What the adversary can spend per second, in puzzles of hardness 1. */
  readonly rate: number;
  /** Largest share of the IDs that the adversary can keep through a purge: its share of the computing power. */
  readonly power: number;
  readonly seconds: number;
  /** Solves this number of puzzles of hardness 1, and returns the work. By default puzzles are counted. */
  readonly solve?: ((puzzles: number) => number) | undefined;
}

/** What became of a network. Work is in puzzles of hardness 1. */
export const churnMeasuresSchema = z.object({
  adversaryRate: z.number().describe('T: what the adversary spent, in puzzles per second.'),
  honestRate: z.number().describe('A: work of the honest nodes, in puzzles per second.'),
  entranceRate: z.number().describe('The part of the honest rate that joins cost.'),
  joinRate: z.number().describe('J: honest joins per second.'),
  badJoinRate: z.number().describe('Joins of the adversary per second.'),
  purges: z.number().describe('Purges in the whole time.'),
  members: z.number().describe('Members at the end.'),
  largestShare: z.number().describe('Largest share of IDs of the adversary at any time.'),
  electionsLost: z.number().describe('Share of leaders, drawn from the members, that are its IDs.'),
  estimates: z.number().describe('Estimates of the honest join rate.'),
  estimateLeast: z.number().nullable().describe('The least, as a multiple of the honest joins.'),
  estimateLargest: z.number().nullable().describe('The largest, as a multiple of them.'),
});

export type ChurnMeasures = z.output<typeof churnMeasuresSchema>;

export class ChurnNetwork {
  readonly #asked: ChurnQuestion;
  readonly #leaving = new EventQueue();
  readonly #recent = new RecentJoins();
  /** The IDs of the adversary that retire. */
  readonly #retiring = new RecentJoins();
  /** How much each join raises the price: 1 or 0. */
  readonly #rise: number;
  /** Whether nothing follows from a purchase but a higher price, a purge and an estimate. */
  readonly #isPlain: boolean;

  #nowS = 0;
  #good: number;
  #bad = 0;
  #savings = 0;

  /** Joins and departures since the last purge, and how many are allowed. */
  #changes = 0;
  #changesMost: number;
  #purges = 0;

  #windowS: number;
  #estimatedS = 0;
  /** Members at the last estimate, and those of them that are left. */
  #sizeThen: number;
  #oldGood: number;
  #oldBad = 0;
  #joinsThen = 0;
  #estimates = 0;
  #estimateLeast: number | null = null;
  #estimateLargest: number | null = null;

  /** Whether the adversary goes on buying at this moment. */
  #isBuying: boolean;
  #nextBurstS = 0;
  /** When it can buy in a quiet time. */
  #fundedS = Number.POSITIVE_INFINITY;
  #nextTestS: number;

  #joins = 0;
  #badJoins = 0;
  #honest = 0;
  #entrances = 0;
  #spent = 0;
  #badSeconds = 0;
  #largestShare = 0;

  constructor(asked: ChurnQuestion) {
    this.#asked = asked;
    const { rules, sessions } = asked;
    this.#good = sessions.initial.length;
    this.#sizeThen = this.#good;
    this.#oldGood = this.#good;
    // A trace can begin without members.
    this.#changesMost =
      rules.purgeAt === null ? Number.POSITIVE_INFINITY : rules.purgeAt * this.#good;
    this.#windowS = rules.window === 'estimate' ? 1 / sessions.joinRate : (rules.window ?? 0);
    this.#nextTestS = rules.everyS ?? Number.POSITIVE_INFINITY;
    this.#isBuying = asked.rate > 0;
    for (const [index, endS] of sessions.initial.entries()) {
      // The first IDs retire one after the other.
      const retiresS = ((rules.lifetimeS ?? Number.POSITIVE_INFINITY) * (index + 1)) / this.#good;
      this.#leaving.push(Math.min(endS, retiresS), 0, endS);
    }
    this.#rise = rules.window === null ? 0 : 1;
    const { everyS, lifetimeS } = rules;
    this.#isPlain = everyS === null && lifetimeS === null && asked.solve === undefined;
  }

  /** Carries out about as many steps: events and purchases. Whether the time is over. */
  run(stepsMost: number): boolean {
    for (let step = 0; step < stepsMost; step += 1) {
      if (this.#isBuying) this.#isBuying = this.#act();
      else {
        step += this.#stream(stepsMost - step);
        if (!this.#goOn()) return true;
      }
    }
    return false;
  }

  /** Carries out the next event. False if the time is over. */
  #goOn(): boolean {
    const { sessions, seconds, rules, rate, adversary } = this.#asked;
    const otherS = this.#otherS();
    const nextS = this.#nextBurstS > this.#nowS ? Math.min(this.#nextBurstS, otherS) : otherS;
    this.#moveTo(Math.min(nextS, seconds));
    if (nextS >= seconds) return false;
    if (nextS === sessions.joinS) {
      this.#join(sessions.leaveS);
      sessions.advance();
    } else if (nextS === this.#leaving.nextS) this.#leave();
    else if (nextS === this.#retiring.oldestS + (rules.lifetimeS ?? 0)) this.#retire();
    else if (nextS === this.#nextTestS) this.#test();
    this.#settle();
    this.#isBuying = rate > 0 && (adversary.bargains || this.#nextBurstS <= this.#nowS);
    return true;
  }

  /** When something happens that is no burst. */
  #otherS(): number {
    const retireS = this.#retiring.oldestS + (this.#asked.rules.lifetimeS ?? 0);
    const fundedS = this.#fundedS > this.#nowS ? this.#fundedS : Number.POSITIVE_INFINITY;
    const { joinS } = this.#asked.sessions;
    return Math.min(joinS, this.#leaving.nextS, retireS, fundedS, this.#nextTestS);
  }

  measures(): ChurnMeasures {
    const seconds = this.#nowS;
    return {
      honestRate: this.#honest / seconds,
      adversaryRate: this.#spent / seconds,
      entranceRate: this.#entrances / seconds,
      joinRate: this.#joins / seconds,
      badJoinRate: this.#badJoins / seconds,
      purges: this.#purges,
      members: this.#good + this.#bad,
      largestShare: this.#largestShare,
      electionsLost: this.#badSeconds / seconds,
      estimates: this.#estimates,
      estimateLeast: this.#estimateLeast,
      estimateLargest: this.#estimateLargest,
    };
  }

  #moveTo(timeS: number): void {
    const elapsedS = timeS - this.#nowS;
    if (this.#bad > 0) this.#badSeconds += (elapsedS * this.#bad) / (this.#good + this.#bad);
    this.#savings += this.#asked.rate * elapsedS;
    this.#nowS = timeS;
  }

  #work(puzzles: number): number {
    return this.#asked.solve?.(puzzles) ?? puzzles;
  }

  #spend(puzzles: number): void {
    const work = this.#work(puzzles);
    this.#savings -= work;
    this.#spent += work;
  }

  #price(): number {
    const { hardness, window } = this.#asked.rules;
    return window === null ? hardness : hardness + this.#recent.within(this.#windowS, this.#nowS);
  }

  /** An honest node earns an ID and joins, or goes on under it. */
  #join(endS: number): void {
    const work = this.#work(this.#price());
    this.#honest += work;
    this.#entrances += work;
    this.#joins += 1;
    this.#good += 1;
    this.#changes += 1;
    if (this.#rise > 0) this.#recent.add(this.#nowS, 1);
    const retiresS = this.#nowS + (this.#asked.rules.lifetimeS ?? Number.POSITIVE_INFINITY);
    this.#leaving.push(Math.min(endS, retiresS), this.#joins, endS);
  }

  /** An honest node leaves. If only its ID retires, the node renews the ID, or joins again at once. */
  #leave(): void {
    const { birth, endS } = this.#leaving;
    const { renewal, lifetimeS } = this.#asked.rules;
    this.#leaving.drop();
    if (endS > this.#nowS && renewal !== null) {
      this.#honest += this.#work(renewal);
      this.#leaving.push(Math.min(endS, this.#nowS + (lifetimeS ?? 0)), birth, endS);
      return;
    }
    this.#good -= 1;
    this.#changes += 1;
    // A node that joined after the last estimate, even in the same second, is not one of its members.
    if (birth <= this.#joinsThen) this.#oldGood -= 1;
    if (endS > this.#nowS) this.#join(endS);
  }

  /** The oldest IDs of the adversary retire, except those that it renews. */
  #retire(): void {
    const { rules, adversary } = this.#asked;
    const left = this.#retiring.within(rules.lifetimeS ?? 0, this.#nowS);
    const renewal = (adversary.keeps ? rules.renewal : null) ?? Number.POSITIVE_INFINITY;
    const kept = Math.min(this.#bad - left, Math.floor(Math.max(0, this.#savings) / renewal));
    this.#bad = left + kept;
    if (kept === 0) return;
    this.#spend(kept * renewal);
    this.#retiring.add(this.#nowS, kept);
  }

  /** Each member solves a puzzle. */
  #test(): void {
    this.#honest += this.#work(this.#good);
    this.#nextTestS += this.#asked.rules.everyS ?? Number.POSITIVE_INFINITY;
    this.#keep(this.#bad);
  }

  /** The adversary solves a puzzle for each of at most this many IDs, the newest ones, and loses the others. */
  #keep(most: number): void {
    const kept = this.#asked.adversary.keeps
      ? Math.min(this.#bad, Math.floor(Math.max(0, this.#savings)), most)
      : 0;
    this.#spend(kept);
    this.#oldBad = Math.max(0, this.#oldBad - (this.#bad - kept));
    this.#bad = kept;
  }

  #keptMost(): number {
    const { power, rules } = this.#asked;
    if (rules.purgeAt !== null) return Math.floor((power / (1 - power)) * this.#good);
    return rules.everyS === null ? 0 : this.#bad;
  }

  /** What follows from a change of the members: a purge, and a new estimate. */
  #settle(): void {
    const members = this.#good + this.#bad;
    if (this.#bad > this.#largestShare * members) this.#largestShare = this.#bad / members;
    if (this.#changes > this.#changesMost) {
      this.#purges += 1;
      this.#honest += this.#work(this.#good);
      this.#keep(this.#keptMost());
      this.#changes = 0;
      this.#changesMost = (this.#asked.rules.purgeAt ?? 0) * (this.#good + this.#bad);
    }
    if (this.#asked.rules.window === 'estimate' && this.#untilEstimate() <= 0) this.#estimate();
  }

  /** Members that must still differ from those of the last estimate. */
  #untilEstimate(): number {
    const members = this.#good + this.#bad;
    const differing = this.#sizeThen + members - 2 * (this.#oldGood + this.#oldBad);
    return this.#asked.rules.estimateAt * members - differing;
  }

  /** GoodJEst: the members divided by the time in which a share of them has changed. */
  #estimate(): void {
    const elapsedS = this.#nowS - this.#estimatedS;
    if (elapsedS === 0) return;
    const members = this.#good + this.#bad;
    this.#windowS = elapsedS / members;
    const joins = this.#joins - this.#joinsThen;
    if (joins > 0) {
      const ratio = members / joins;
      this.#estimates += 1;
      this.#estimateLeast = Math.min(this.#estimateLeast ?? ratio, ratio);
      this.#estimateLargest = Math.max(this.#estimateLargest ?? ratio, ratio);
    }
    this.#estimatedS = this.#nowS;
    this.#sizeThen = members;
    this.#oldGood = this.#good;
    this.#oldBad = this.#bad;
    this.#joinsThen = this.#joins;
  }

  /** What the adversary saves for the next purge, or to renew its IDs. */
  #reserve(): number {
    const { adversary, rules } = this.#asked;
    return adversary.keeps ? this.#keptMost() + (rules.renewal ?? 0) * this.#bad : 0;
  }

  /** The adversary buys once. False if it buys nothing more at this moment. */
  #act(): boolean {
    const { adversary, rules } = this.#asked;
    const price = this.#price();
    const untilPurge = Math.floor(this.#changesMost) + 1 - this.#changes;
    const perId = adversary.leaves ? 2 : 1;
    const count = Math.min(
      affordable(price, this.#rise, this.#savings - this.#reserve()),
      adversary.bargains && this.#rise > 0
        ? price > rules.hardness
          ? 0
          : 1
        : Number.POSITIVE_INFINITY,
      adversary.leftShare > 0 && rules.purgeAt !== null
        ? Math.floor(untilPurge - this.#changesMost * adversary.leftShare)
        : Number.POSITIVE_INFINITY,
      Math.max(1, Math.ceil(untilPurge / perId)),
      this.#untilEstimateBought(),
    );
    if (!(count >= 1)) {
      this.#fundedS = this.#payableS(price);
      return false;
    }
    this.#buy(count, price, perId);
    this.#settle();
    // A window without end is not worth waiting for.
    if (this.#rise > 0 && Number.isFinite(this.#windowS)) {
      this.#nextBurstS = this.#nowS + this.#windowS;
    }
    return true;
  }

  /**
   * Carries out bursts until something else happens, at most this many: the same sums as in single steps, but in a loop.
   * It leaves a burst to single steps if more may follow from it than a higher price. Returns the number of bursts.
   */
  #stream(most: number): number {
    let [nowS, burstS] = [this.#nowS, this.#nextBurstS];
    if (!(this.#isPlain && burstS > nowS && Number.isFinite(this.#windowS))) return 0;
    const { rate, adversary, rules, seconds } = this.#asked;
    const { bargains } = adversary;
    const [good, windowS, recent] = [this.#good, this.#windowS, this.#recent];
    const [reserve, untilS] = [this.#reserve(), Math.min(this.#otherS(), seconds)];
    const [perId, stays] = adversary.leaves ? [2, 0] : [1, 1];
    const untilPurge = this.#changesMost * (1 - adversary.leftShare) - 1 - this.#changes;
    const isEstimated = rules.window === 'estimate';
    const untilEstimate = isEstimated
      ? this.#untilEstimate() / (stays * (1 - rules.estimateAt))
      : untilPurge;
    const boughtMost = Math.min(untilPurge / perId, untilEstimate - 2);
    let [savings, spent, lost, bad] = [this.#savings, this.#spent, this.#badSeconds, this.#bad];
    let [bought, bursts, price] = [0, 0, 0];
    while (burstS < untilS && bursts < most && burstS > nowS) {
      const held = savings + rate * (burstS - nowS);
      const first = rules.hardness + recent.within(windowS, burstS);
      const count = bargains
        ? Number(first === rules.hardness && held - reserve >= first)
        : affordable(first, 1, held - reserve);
      const cost = costOf(first, 1, count);
      const left = held - cost;
      const next = first + count;
      const missing = quietCost(next, 1, good + bad + stays * count) + reserve - left;
      if (
        !(count >= 1 && bought + count < boughtMost) ||
        !(bargains || left - reserve < next) ||
        (missing > 0 && missing < 2 * rate * windowS)
      ) {
        break;
      }
      if (bad > 0) lost += ((burstS - nowS) * bad) / (good + bad);
      recent.add(burstS, count);
      nowS = burstS;
      burstS += windowS;
      savings = left;
      spent += cost;
      bought += count;
      bad += stays * count;
      price = next;
      bursts += 1;
    }
    if (bursts === 0) return 0;
    [this.#nowS, this.#nextBurstS, this.#savings, this.#spent] = [nowS, burstS, savings, spent];
    [this.#badSeconds, this.#bad] = [lost, bad];
    this.#badJoins += bought;
    this.#changes += perId * bought;
    this.#fundedS = this.#payableS(price);
    this.#settle();
    return bursts;
  }

  /** When the adversary can pay for a purchase in a quiet time, rounded up. Infinity if it can already. */
  #payableS(price: number): number {
    const missing =
      quietCost(price, this.#rise, this.#good + this.#bad) + this.#reserve() - this.#savings;
    return missing > 0
      ? (this.#nowS + missing / this.#asked.rate) * (1 + 1e-12)
      : Number.POSITIVE_INFINITY;
  }

  /** IDs that the adversary can buy in one step: fewer than lead to an estimate, or one. */
  #untilEstimateBought(): number {
    const { rules, adversary } = this.#asked;
    if (rules.window !== 'estimate' || adversary.leaves) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.floor(this.#untilEstimate() / (1 - rules.estimateAt)) - 1);
  }

  #buy(count: number, price: number, changes: number): void {
    this.#spend(costOf(price, this.#rise, count));
    this.#badJoins += count;
    this.#changes += changes * count;
    if (this.#rise > 0) this.#recent.add(this.#nowS, count);
    if (changes > 1) return;
    this.#bad += count;
    if (this.#asked.rules.lifetimeS !== null) this.#retiring.add(this.#nowS, count);
  }
}

/** What a purchase in a quiet time costs. */
function quietCost(price: number, rise: number, members: number): number {
  return costOf(price, rise, Math.max(1, Math.floor(QUIET_SHARE * members)));
}
