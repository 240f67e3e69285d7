/**
 * @module
 * The inverse question: difficulties against the closed form turned round by hand, both sides of the
 * answer, and what each defence saves.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DefenceEffect, DesignDefence } from '../../../src/experiment/design/defences.ts';
import { DESIGN_DEFENCES } from '../../../src/experiment/design/defences.ts';
import { design } from '../../../src/experiment/design/design.ts';
import { questionFor } from '../../../src/experiment/design/questions.ts';
import type { DesignQuestion } from '../../../src/experiment/design/request.ts';
import { slowestQuantile } from '../../../src/experiment/theory/waiting.ts';
import { DESIGN as DESIGN_OPERATION } from '../../../src/operations/design.ts';
import { inputSchema } from '../../../src/operations/operation.ts';
import { parseBySchema } from '../../../src/schema.ts';
import { refusedBy } from '../reading/refusals.ts';

const QUESTION: DesignQuestion = {
  epsilon: 0.01,
  time: 60,
  nodes: 16,
  rate: 10_000,
  joinTime: 10,
};

describe('the difficulty that is needed', () => {
  it.each([
    [0.5, 15.195],
    [0.1, 18.365],
    [0.01, 21.824],
    [0.001, 25.159],
  ])('for 600 000 keys and ε = %d is just below the safe %d bits', (epsilon, safe) => {
    // Half of a group operation takes the time of a hash. An ID below the honest ones saves one of three.
    const question = { ...QUESTION, epsilon, rate: 10_000 / 1.5 };
    const { needed, safeBits, adversaryAttempts } = design(question);

    expect(1.5 * adversaryAttempts).toBeCloseTo(600_000, -1);
    expect(safeBits).toBeCloseTo(safe, 3);
    expect(needed.realBits).toBeLessThanOrEqual(safeBits);
    // A share of 1/(n+1) of the IDs is worth a puzzle.
    expect(needed.realBits).toBeGreaterThan(safeBits - 0.16 - Math.log2(1 + 0.5 / 17));
  });

  it('and the one that is borne are turned exactly where they turn, whatever is asked', () => {
    const anything = fc.record({
      epsilon: fc.double({ min: 1e-9, max: 0.999, noNaN: true }),
      time: fc.double({ min: 0.001, max: 1e6, noNaN: true }),
      advantage: fc.double({ min: 0.1, max: 1000, noNaN: true }),
      nodes: fc.integer({ min: 1, max: 1_000_000 }),
      rate: fc.double({ min: 1, max: 1e8, noNaN: true }),
      joinTime: fc.double({ min: 0.01, max: 1e5, noNaN: true }),
      joinQuantile: fc.double({ min: 0.01, max: 0.999, noNaN: true }),
    });

    fc.assert(
      fc.property(anything, (question) => {
        const answer = design(question);
        const { needed, bearable, adversaryAttempts: attempts } = answer;
        const { epsilon, nodes: honest, rate, joinTime } = question;
        const leads = (bits: number) =>
          questionFor('adversary-leads').probability({ honest, attempts, difficultyBits: bits });

        expect(leads(needed.wholeBits)).toBeLessThanOrEqual(epsilon);
        if (needed.wholeBits > 0) expect(leads(needed.wholeBits - 1)).toBeGreaterThan(epsilon);
        if (bearable === null) {
          expect(rate * joinTime).toBeLessThan(1);
          return;
        }
        const waits = (bits: number) =>
          slowestQuantile(2 ** -bits, { nodes: 1, quantile: question.joinQuantile });
        expect(waits(bearable.wholeBits)).toBeLessThanOrEqual(rate * joinTime);
        expect(waits(bearable.wholeBits + 1)).toBeGreaterThan(rate * joinTime);
        expect(answer.isPossible).toBe(needed.wholeBits <= bearable.wholeBits);
      }),
      { seed: 21, numRuns: 60 },
    );
  });

  it('is no bit where the adversary has no attempt, or nearly all is allowed', () => {
    const idle = design({ ...QUESTION, time: 1e-5 });
    const lenient = design({ ...QUESTION, epsilon: 0.99999 });

    expect(idle).toMatchObject({
      adversaryAttempts: 0,
      needed: { wholeBits: 0 },
      isPossible: true,
    });
    expect(lenient.needed.realBits).toBe(0);
  });

  it('takes log2 of the advantage in bits', () => {
    const [slow, fast] = [1, 64].map((advantage) => design({ ...QUESTION, advantage }));

    expect((fast?.needed.realBits ?? 0) - (slow?.needed.realBits ?? 0)).toBeCloseTo(6, 5);
    expect(fast?.bearable).toMatchObject({ realBits: slow?.bearable?.realBits });
  });
});

describe('the honest side', () => {
  it('joins in the seconds of the geometric law, one node and the slowest of all', () => {
    const { join, needed } = design({ ...QUESTION, joinQuantile: 0.99 });
    const mean = 2 ** needed.wholeBits / 10_000;

    expect(join.one.p50Seconds / mean).toBeCloseTo(Math.LN2, 4);
    expect(join.one.p95Seconds / mean).toBeCloseTo(Math.log(20), 4);
    expect(join.one.quantileSeconds / mean).toBeCloseTo(Math.log(100), 4);
    expect(join.slowest.p50Seconds / mean).toBeCloseTo(-Math.log(1 - 0.5 ** (1 / 16)), 4);
  });

  it('bears nothing where there is no time for one candidate', () => {
    const answer = design({ ...QUESTION, joinTime: 0.00005 });

    expect(answer).toMatchObject({
      bearable: null,
      spareBits: null,
      isPossible: false,
      enough: { time: null, nodes: null },
    });
  });
});

describe('what is enough alone', () => {
  it.each(['time', 'joinTime', 'nodes'] as const)(
    'in %s makes the design possible, and a little less does not',
    (member) => {
      const { enough, isPossible } = design(QUESTION);
      const bound = enough[member] ?? Number.NaN;
      // Fewer seconds of the adversary are on the good side, more of everything else.
      const step = member === 'nodes' ? 1 : bound * 1e-3 * (member === 'joinTime' ? 1 : -1);

      const good = design({ ...QUESTION, [member]: bound + (member === 'nodes' ? 0 : step) });
      const bad = design({ ...QUESTION, [member]: bound - step });

      expect(isPossible).toBe(false);
      expect(good.isPossible).toBe(true);
      expect(bad.isPossible).toBe(false);
    },
  );
});

describe('defences', () => {
  const DESIGN = {
    ...QUESTION,
    epsilon: 0.05,
    nodes: 500,
    time: 3600,
    joinTime: 30,
    window: 60,
  };

  it('are all weighed, the last together', () => {
    expect(design(DESIGN).remedies.map(({ defence }) => defence)).toEqual(DESIGN_DEFENCES);
  });

  it('a salt saves log2(r·T/(r′·L)) bits, and more time for keys in stock costs some back', () => {
    // Keys in stock are tested three times as fast as new ones. Dropped IDs make keys 1.5 times as fast without a salt.
    const plain = effectOf('commit-then-beacon', DESIGN);
    const stocked = effectOf('commit-then-beacon', { ...DESIGN, stockSpeed: 16 });

    expect(plain.gainBits).toBeCloseTo(Math.log2((60 * 1.5) / 3), 2);
    expect(effectOf('commit-then-beacon', { ...DESIGN, stockSpeed: 1 }).isPossible).toBe(true);
    expect(plain.gainBits - stocked.gainBits).toBeCloseTo(Math.log2(16 / 3), 5);
    expect(stocked.isPossible).toBe(false);
    const saved = design(DESIGN).needed.realBits - plain.needed.realBits;
    expect(saved).toBeCloseTo(plain.gainBits, 3);
  });

  it('a salt gives the honest no longer than the window', () => {
    const { bearable } = effectOf('commit-then-beacon', { ...DESIGN, window: 15 });

    expect((design(DESIGN).bearable?.realBits ?? 0) - (bearable?.realBits ?? 0)).toBeCloseTo(1, 3);
  });

  it('a beacon salts the rank alone, or the puzzle too, as the defences of usurp compare do', () => {
    const asked = { ...DESIGN, rate: 1e6, preparation: 3000 };
    const [whole, rank] = (['commit-then-beacon', 'beacon-rank'] as const).map((name) =>
      effectOf(name, asked),
    );

    // The adversary tests kept keys three times as fast as it makes new ones. Only tests within the window of 60 s count.
    const tests = 60 * 3 * 1e6;
    const exact = Math.log2(tests / ((500 * 0.05) / 0.95));
    expect(Math.abs((whole?.needed.realBits ?? 0) - exact)).toBeLessThan(0.01);
    expect(whole?.isPossible).toBe(true);
    expect(rank?.needed.realBits).toBeCloseTo(27.02, 2);
    expect(rank?.isPossible).toBe(false);
  });

  it('a memory-hard function is not evaluated at 0 bits', () => {
    const raft = { protocol: 'raft', question: 'leads-more-than-share' } as const;
    const few = { ...DESIGN, ...raft, time: 1, advantage: 100, machines: 1, hardRate: 20 };

    // 20 identities of 520 are less than 5 %. Without a puzzle there are 10^6 and more.
    expect(effectOf('memory-hard', few).needed.wholeBits).toBe(1);
    expect(effectOf('memory-hard-id', few).needed.wholeBits).toBe(0);
  });

  it('a memory-hard function filters nothing where ranks have no meaning', () => {
    const raft = { ...DESIGN, protocol: 'raft', question: 'leads-more-than-share' } as const;

    expect(effectOf('memory-hard', DESIGN).remark).toContain('only IDs above all honest ones');
    expect(effectOf('memory-hard', raft).remark).not.toContain('honest ones');
  });

  it('a memory-hard ID saves log2 of the advantage; its cost shifts both sides alike', () => {
    const swift = { ...DESIGN, advantage: 8, machines: 1, hardRate: DESIGN.rate };
    // No ID can be dropped before its puzzle.
    const whole = effectOf('beacon-rank', DESIGN).gainBits;

    const alike = effectOf('memory-hard-id', swift);
    const slower = effectOf('memory-hard-id', { ...swift, hardRate: 10_000 / 64 });
    const partly = effectOf('memory-hard-id', { ...swift, hardAdvantage: 2 });

    expect(whole).toBeCloseTo(Math.log2(1.5), 2);
    expect(alike.gainBits - whole).toBeCloseTo(3, 6);
    expect(partly.gainBits - whole).toBeCloseTo(2, 6);
    const slow = effectOf('memory-hard-id', { ...swift, advantage: 0.25 });
    expect(slow.gainBits - whole).toBeCloseTo(0, 5);
    expect(alike.needed.realBits - slower.needed.realBits).toBeCloseTo(6, 2);
    expect((alike.bearable?.realBits ?? 0) - (slower.bearable?.realBits ?? 0)).toBeCloseTo(6, 2);
  });

  it('a memory-hard function reduces the speed of machines, not their number', () => {
    const gain = (question: Partial<DesignQuestion>) =>
      effectOf('memory-hard-id', { ...DESIGN, advantage: 32, ...question }).gainBits -
      effectOf('beacon-rank', { ...DESIGN, advantage: 32 }).gainBits;

    expect(gain({})).toBe(0);
    expect(gain({ machines: 32 })).toBe(0);
    expect(gain({ machines: 8 })).toBe(2);
    expect(gain({ machines: 1 })).toBe(5);
    expect(gain({ machines: 8, hardAdvantage: 16 })).toBe(1);
    expect(effectOf('memory-hard', { ...DESIGN, advantage: 32 }).remark).toContain(
      'falls from 32 to 32, because 32 machines stay 32',
    );
  });

  it('a memory-hard function of a fast ID protects each evaluation, and not each key', () => {
    const question = {
      ...{ epsilon: 0.01, time: 1, nodes: 64, joinTime: 60, advantage: 100 },
      ...{ rate: 8e6, machines: 1 },
    };

    const bound = effectOf('memory-hard', question);
    const derived = effectOf('memory-hard-id', question);

    // Only IDs above all honest ones are evaluated: 1 − (1 − 2^-c)^20 = 1 % in 20 evaluations.
    expect(bound.needed.realBits).toBeCloseTo(-Math.log2(1 - 0.99 ** (1 / 20)), 2);
    expect(bound.isPossible).toBe(false);
    expect(derived.needed.realBits).toBeCloseTo(4.93, 2);
    expect(derived.isPossible).toBe(true);
    expect(derived.gainBits - bound.gainBits).toBeCloseTo(6.03, 2);
  });

  it('a frozen membership leaves the seconds until registration closes', () => {
    const early = effectOf('frozen-membership', DESIGN);
    const late = effectOf('frozen-membership', { ...DESIGN, preparation: 0 });

    expect(early.gainBits).toBe(0);
    expect(late.gainBits).toBeCloseTo(Math.log2(60), 12);
    expect(late.isPossible).toBe(true);
  });

  it('a beacon in the rank saves what dropped IDs cost, and says how long luck lasts', () => {
    const { gainBits, remark, needed } = effectOf('beacon-rank', DESIGN);

    expect(gainBits).toBeCloseTo(Math.log2(1.5), 2);
    expect(design(DESIGN).needed.realBits - needed.realBits).toBeCloseTo(gainBits, 9);
    expect(remark).toMatch(/an independent draw: at 16 bits .* in 5 in a row with at most 0\.05/);
  });

  it.each([
    { epsilon: 0.05, nodes: 100, bits: 13.73, isPossible: false },
    { epsilon: 0.01, nodes: 64, bits: 16.74, isPossible: false },
  ])(
    'together have the IDs of the preparation too, each for one fast hash in the window: $bits bits',
    ({ bits, isPossible, ...question }) => {
      const swift = { ...question, time: 3600, joinTime: 60, rate: 8e6, advantage: 100 };
      const slow = { ...swift, machines: 1, hardRate: 20 };

      const { gainBits, needed, ...effect } = effectOf('together', slow);

      expect(needed.realBits).toBeCloseTo(bits, 2);
      // With rare forged identities E[K/(n+K)] is nearly E[K]/(n+1), and less.
      const rare = Math.log2((3600 * 20) / ((question.nodes + 1) * question.epsilon));
      expect(needed.realBits).toBeLessThan(rare);
      expect(needed.realBits).toBeGreaterThan(rare - 2 * question.epsilon);
      expect(effect.isPossible).toBe(isPossible);
      // A salt takes none of these IDs away.
      expect(gainBits).toBeCloseTo(effectOf('memory-hard-id', slow).gainBits, 9);
    },
  );

  it('together lead as often as the sampled runs with a stock of slow IDs do', () => {
    const forging = { honest: 100, attempts: 3600 * 20, difficultyBits: 8 };

    // 2000 runs of 60 windows, in each of which 1200 IDs are made.
    expect(questionFor('leads-more-than-share').probability(forging)).toBeCloseTo(0.737, 2);
  });

  it('together stop the making of IDs when registration closes', () => {
    const question = { ...DESIGN, advantage: 8, machines: 1, preparation: 60 };

    const { gainBits } = effectOf('together', question);

    const { gainBits: hard } = effectOf('memory-hard-id', question);
    expect(gainBits - hard).toBeCloseTo(Math.log2(3600 / 120), 9);
  });

  it('together test no more of these IDs than the window has time for', () => {
    // 100 evaluations per second for an hour, and two fast tests per second for a minute.
    const question = { ...DESIGN, rate: 100, machines: 1, hardRate: 100, stockSpeed: 0.02 };

    const { needed } = effectOf('together', question);

    const few = effectOf('memory-hard-id', { ...question, time: 60, hardRate: 2 });
    expect(needed.realBits).toBeCloseTo(few.needed.realBits, 6);
  });
});

describe('a question without an answer', () => {
  it.each<[Partial<DesignQuestion>, string]>([
    [{ epsilon: 0 }, '/epsilon'],
    [{ epsilon: 1 }, '/epsilon'],
    [{ epsilon: Number.NaN }, '/epsilon'],
    [{ time: -1 }, '/time'],
    [{ time: 0 }, '/time'],
    [{ nodes: 0 }, '/nodes'],
    [{ nodes: 2.5 }, '/nodes'],
    [{ nodes: 1_000_001 }, '/nodes'],
    [{ rate: 0 }, '/rate'],
    [{ joinTime: Number.POSITIVE_INFINITY }, '/joinTime'],
    [{ joinQuantile: 1 }, '/joinQuantile'],
    [{ advantage: 0 }, '/advantage'],
    [{ preparation: 61 }, '/preparation'],
    [{ time: 1e8, rate: 1e10, advantage: 2 }, '/time'],
  ])('is refused: %o', (members, pointer) => {
    const asked = { ...QUESTION, ...members };
    const refusal = refusedBy(() => DESIGN_OPERATION.check(parsed(asked), false));

    expect(refusal.faults.map((fault) => fault.pointer)).toEqual([pointer]);
    expect(refusal.message).toContain('must be');
  });
});

function parsed(asked: object): Parameters<typeof DESIGN_OPERATION.check>[0] {
  const input: unknown = parseBySchema(inputSchema(DESIGN_OPERATION, false), asked, 'question');
  return input as ReturnType<typeof parsed>; // The schema is made of its members.
}

function effectOf(name: DesignDefence, question: DesignQuestion): DefenceEffect {
  const effect = design(question).remedies.find(({ defence }) => defence === name);
  if (effect === undefined) throw new TypeError(`"name" expected a defence, got ${name}`);
  return effect;
}
