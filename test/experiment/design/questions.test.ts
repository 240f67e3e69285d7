/**
 * @module
 * What a design limits, by protocol: the question that follows from the protocol, the closed forms of a share
 * and of a majority, sampled checks of each, and what is refused.
 */

import { describe, expect, it } from 'vitest';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../../src/election/registry.ts';
import {
  checkedDifficulty,
  checkModel,
  checkOf,
  checkRuns,
} from '../../../src/experiment/design/check.ts';
import { design } from '../../../src/experiment/design/design.ts';
import type { DesignQuestionName } from '../../../src/experiment/design/questions.ts';
import { questionFor, usualQuestion } from '../../../src/experiment/design/questions.ts';
import type { DesignQuestion } from '../../../src/experiment/design/request.ts';
import { executeRuns } from '../../../src/experiment/runs/run.ts';
import { topRanksProbability } from '../../../src/experiment/theory/closed-forms.ts';
import { parseSeed } from '../../../src/random.ts';
import { STILL } from '../models.ts';
import { refusedBy } from '../reading/refusals.ts';

const QUESTION: DesignQuestion = {
  ...{ epsilon: 0.05, time: 60, nodes: 9, rate: 1000 },
  joinTime: 10,
};

describe('the question about a protocol', () => {
  it('is the top ID where the rank decides, and the share where it has no meaning', () => {
    for (const protocol of PROTOCOL_NAMES.filter((name) => name !== 'ring-attr')) {
      const { isRanked } = PROTOCOLS[protocol];

      const usual = usualQuestion(protocol);

      expect(usual, protocol).toBe(isRanked ? 'adversary-leads' : 'leads-more-than-share');
      expect(design({ ...QUESTION, protocol }).request.question).toBe(usual);
    }
  });

  it('states what its answer assumes, with the protocol', () => {
    const raft = design({ ...QUESTION, protocol: 'raft' });

    expect(raft.assumes).toContain('The rank has no meaning in raft');
    expect(design(QUESTION).assumes).toContain('The highest live rank leads in bully-oneshot');
  });

  it.each<[DesignQuestionName, 'bully-oneshot' | 'raft' | 'db-lease', string]>([
    ['leads-more-than-share', 'bully-oneshot', 'question must be adversary-leads'],
    ['adversary-leads', 'raft', 'the rank has no meaning in raft'],
    ['majority-captured', 'bully-oneshot', 'elects without a majority of votes'],
    ['no-leader', 'db-lease', 'question must be leads-more-than-share for db-lease'],
  ])('is not %s about %s', (question, protocol, word) => {
    expect(refusedBy(() => design({ ...QUESTION, protocol, question })).message).toContain(word);
  });

  it('is none about a protocol that elects by what nodes claim', () => {
    expect(refusedBy(() => design({ ...QUESTION, protocol: 'ring-attr' })).message).toContain(
      'no difficulty limits who leads, because ring-attr elects by what nodes claim',
    );
  });
});

describe('the closed form', () => {
  const [attempts, honest, difficultyBits] = [40, 3, 3];
  /** The law Bin(40, 1/8), term by term. */
  const law = Array.from({ length: attempts + 1 }, (_, forged) => {
    const p = 2 ** -difficultyBits;
    let choices = 1;
    for (let at = 0; at < forged; at += 1) choices *= (attempts - at) / (at + 1);
    return choices * p ** forged * (1 - p) ** (attempts - forged);
  });
  const meanOf = (value: (forged: number) => number) =>
    law.reduce((sum, weight, forged) => sum + weight * value(forged), 0);

  it.each<[DesignQuestionName, (forged: number) => number]>([
    ['adversary-leads', (forged) => topRanksProbability({ honest, forged }, 1)],
    ['leads-more-than-share', (forged) => forged / (honest + forged)],
    ['majority-captured', (forged) => Number(2 * forged > honest + forged)],
    ['no-leader', (forged) => Number(2 * honest <= honest + forged)],
  ])('of %s is its sum over the law of K', (name, value) => {
    const { probability, probabilityDrawn = probability } = questionFor(name);

    expect(probabilityDrawn({ honest, attempts, difficultyBits })).toBeCloseTo(meanOf(value), 12);
  });

  it.each<DesignQuestionName>(['majority-captured', 'no-leader'])(
    'of %s is turned where it turns, and its safe bits are above',
    (question) => {
      const answer = design({ ...QUESTION, protocol: 'raft', question });
      const { needed, safeBits, adversaryAttempts, enough } = answer;
      const probability = (bits: number, honestNodes = 9) =>
        questionFor(question).probability({
          ...{ honest: honestNodes, attempts: adversaryAttempts, difficultyBits: bits },
        });

      expect(probability(needed.wholeBits)).toBeLessThanOrEqual(0.05);
      expect(probability(needed.wholeBits - 1)).toBeGreaterThan(0.05);
      expect(safeBits).toBeGreaterThan(needed.realBits);
      expect(enough.time).toBeLessThan(1e9);
      const { bearable } = answer;
      expect(probability(bearable?.wholeBits ?? 0, enough.nodes ?? 0)).toBeLessThanOrEqual(0.05);
    },
  );
});

describe('the check of a question', () => {
  it.each<DesignQuestionName>(['leads-more-than-share', 'majority-captured', 'no-leader'])(
    'about raft is made by sampled runs: %s',
    (question) => {
      const answer = design({ ...QUESTION, protocol: 'raft', question });
      const difficulty = checkedDifficulty(answer);
      if (difficulty === null) throw new TypeError('"answer" expected a design to check');
      // At the bits that are needed, the probability is neither 0 nor 1.
      const model = checkModel(answer, Math.floor(answer.needed.realBits));
      const runs = 3000;

      const tally = executeRuns(model, parseSeed('22'), { from: 0, count: runs }, STILL);

      const probability = questionFor(question).probability({
        ...{ honest: 9, attempts: answer.adversaryAttempts },
        difficultyBits: Math.floor(answer.needed.realBits),
      });
      const wins = tally.wins[0] ?? 0;
      const check = checkOf({ ...difficulty, probability }, { runs, wins, confidence: 0.9999 });
      expect(probability).toBeGreaterThan(0.01);
      expect(check.agrees).toBe(true);
      expect(checkRuns(answer, difficulty)).toBeGreaterThan(1);
    },
  );
});
