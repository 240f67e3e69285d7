/**
 * @module
 * The chart of a design: a curve for each advantage and ε, and both times to join with the accepted
 * one. Names are escaped, and the same input gives the same bytes.
 */

import { describe, expect, it } from 'vitest';
import { designChart } from '../../../src/experiment/design/chart.ts';
import { checkOf, designReport } from '../../../src/experiment/design/check.ts';
import { designCost } from '../../../src/experiment/design/cost.ts';
import { design } from '../../../src/experiment/design/design.ts';
import type { DesignQuestion } from '../../../src/experiment/design/request.ts';

const QUESTION: DesignQuestion = {
  ...{ epsilon: 0.01, time: 60, nodes: 16, rate: 10_000 },
  ...{ joinTime: 10, joinQuantile: 0.99, protocol: 'raft' },
};

function picture(members: Partial<DesignQuestion> = {}, advantages = [1, 100], checked = true) {
  const reports = advantages.map((advantage) => {
    const answer = design({ ...QUESTION, ...members, advantage });
    const check = checkOf(answer.needed, { runs: 1000, wins: 8, confidence: 0.95 });
    const cost = designCost(answer, { elections: [], defences: [] });
    return designReport(answer, checked ? check : null, cost);
  });
  return { reports, sentence: 'Possible at 1 & 100.', replay: 'npx usurp design --nodes "16"' };
}

describe('the chart of a design', () => {
  it('shows each advantage, ε, the quantiles of the join and the accepted time', () => {
    const svg = designChart(picture());

    for (const word of ['advantage 1<', 'advantage 100<', 'ε = 0.01', '10 s accepted']) {
      expect(svg).toContain(word);
    }
    for (const word of ['>50 %<', '>95 %<', '>99 %<', '8 of 1000 sampled runs', 'closed form']) {
      expect(svg).toContain(word);
    }
    expect(svg).toContain('P(adversary leads more often than its share)');
    expect(svg).toContain('The rank has no meaning in raft');
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    expect(designChart(picture())).toBe(svg);
  });

  it.each([
    ['bully-oneshot', 'adversary-leads', 'one identity, the best: only IDs above all honest'],
    ['raft', 'leads-more-than-share', 'all identities that the budget pays for; follows'],
    ['raft', 'no-leader', 'all identities that the budget pays for; withholds its votes'],
  ] as const)(
    'states protocol, budget, response and runs: %s, %s',
    (protocol, question, response) => {
      const svg = designChart(picture({ protocol, question })).replaceAll(/<[^>]*>/g, ' ');

      const text = svg.replaceAll(/\s+/g, ' ');
      expect(text).toContain(
        `Protocol: ${protocol}. Budget: 600000, 60000000 attempts. Response: ${response}`,
      );
      expect(text).toContain('Runs of each mark: 1000, which draw identities and hold no election');
    },
  );

  it('escapes what it contains', () => {
    const svg = designChart(picture());

    expect(svg).toContain('Possible at 1 &amp; 100.');
    expect(svg).toContain('--nodes &quot;16&quot;');
  });

  it.each([
    ['no check', {}, [1], false],
    ['a majority', { question: 'majority-captured' }, [1, 10, 100], true],
    ['an adversary without an attempt', { time: 1e-5 }, [1], false],
    ['no time for one candidate', { joinTime: 1e-5 }, [1, 2], false],
    ['one node', { nodes: 1, protocol: 'bully-oneshot' }, [1], true],
  ] as const)('is drawn with %s', (_name, members, advantages, checked) => {
    const svg = designChart(picture(members, [...advantages], checked));

    expect(svg).toMatch(/^<svg /);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });
});
