/**
 * @module
 * Threat models with every protocol of the registry: those that elect the highest do so in mined and
 * sampled runs, on links with latencies; the others are refused with the reason.
 */

import { describe, expect, it } from 'vitest';

import { PROTOCOL_NAMES, PROTOCOLS } from '../../../src/election/registry.ts';
import { executeRuns } from '../../../src/experiment/runs/run.ts';
import { electionRuns } from '../../../src/experiment/runs/sampled-run.ts';
import { parseSeed } from '../../../src/random.ts';
import { STILL, topId } from '../models.ts';
import { refusedBy } from './refusals.ts';

const seed = parseSeed('7');
const AIMED = PROTOCOL_NAMES.filter((name) => PROTOCOLS[name].elects !== 'any');
const AIMLESS = PROTOCOL_NAMES.filter((name) => PROTOCOLS[name].elects === 'any');

describe('elections of a threat model', () => {
  it.each(['uniform:10:50', 'exp:30', '1'])('elect the highest by all, latency %s', (latency) => {
    const settings = [
      `network.election.protocols=[${AIMED}]`,
      `network.election.latency=${latency}`,
    ];
    for (const work of ['mined', 'sampled']) {
      const model = topId(`work=${work}`, 'expect.property=highest-leads', ...settings);

      const tally = executeRuns(model, seed, { from: 0, count: 3 }, STILL);

      const wins = AIMED.map(() => 3);
      expect(tally, work).toMatchObject({ wins, elections: { held: 3 * AIMED.length } });
    }
  });

  it.each(AIMLESS)('are not held by %s', (name) => {
    const refusal = refusedBy(() => topId(`network.election.protocols=[cr-join, ${name}]`));

    expect(refusal.message).toContain(`must not name ${name}, because there any node may lead`);
  });

  it('are refused where they would send too much, and left out where they only confirm', () => {
    const among = (honest: number, ...settings: string[]) =>
      topId('network.election.protocols=[ring-collect]', `network.honest=${honest}`, ...settings);

    const refusal = refusedBy(() => among(2915, 'network.identity.c1=1'));

    expect(refusal.message).toContain('network.honest must be lower for ring-collect');
    expect(among(2914, 'network.identity.c1=1').network.honest).toBe(2914);
    expect(electionRuns(among(2914, 'work=sampled'), null)).toBe(2);
    expect(electionRuns(among(2915, 'work=sampled'), null)).toBe(0);
  });
});
