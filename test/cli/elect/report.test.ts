/**
 * @module
 * The table of one election: what is said beside its properties.
 */

import { describe, expect, it } from 'vitest';

import { columns } from '../../../src/cli/shell/layout.ts';
import { answerOf, answerRows } from '../../../src/operations/elect/answer.ts';
import { parseSeed } from '../../../src/random.ts';
import type { Schedule } from '../../../src/simulation/faults/schedule.ts';
import { runElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

/** No message ever arrives, so no node follows another. */
const SILENCE: Schedule = {
  faults: [{ type: 'blackout', from: 0, to: null }],
  calm: null,
  detector: 'crashes',
};

describe('the table of an election', () => {
  it('marks untested properties, unless they failed', () => {
    const seed = parseSeed('1');
    const simulation = createSimulation({
      protocol: 'cr-join',
      nodes: 3,
      seed,
      schedule: SILENCE,
    });
    runElection(simulation);

    const table = columns(answerRows(answerOf(simulation, { replay: 'usurp elect' }, [])));

    expect(table).toMatch(/^agreement +true \(never tested\)$/m);
    expect(table).toMatch(/^termination +false$/m);
  });

  it.each([
    ['raft', 'does not apply'],
    ['cr-join', 'true'],
  ] as const)('says whether the highest wins where it has to: %s, %s', (protocol, reported) => {
    const simulation = createSimulation({ protocol, nodes: 3, seed: parseSeed('1') });
    runElection(simulation);

    const answer = answerOf(simulation, { replay: 'usurp elect' }, []);

    expect(columns(answerRows(answer))).toMatch(new RegExp(`^highestLiveWins +${reported}$`, 'm'));
    expect(answer.verdict.properties.highestLiveWins.value).toBe('true');
  });
});
