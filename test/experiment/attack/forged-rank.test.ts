/**
 * @module
 * A top ID is forged by default only for protocols that rank nodes, and only in these does the highest node
 * lead in every election.
 */

import { describe, expect, it } from 'vitest';
import { BEHAVIOUR_NAMES, BEHAVIOURS } from '../../../src/adversary/behaviours/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../../src/election/registry.ts';
import { planAttack } from '../../../src/experiment/attack/attack.ts';
import { parseSeed } from '../../../src/random.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { asked } from './attacks.ts';

const NODES = 5;
const RUNS = 12;

/** The leader of an election without an adversary. Null if its nodes follow different ones. */
function leaderOf(protocol: (typeof PROTOCOL_NAMES)[number], seed: string): number | null {
  const simulation = createSimulation({ protocol, nodes: NODES, seed: parseSeed(seed) });
  simulation.start();
  simulation.advance({ until: 400 });
  const leaders = new Set(simulation.nodes().map(({ leader }) => leader));
  const [leader = null] = leaders;
  return leaders.size === 1 ? leader : null;
}

describe.each(PROTOCOL_NAMES)('%s', (protocol) => {
  const { isRanked } = PROTOCOLS[protocol];

  it(`elects the highest node ${isRanked ? 'always' : 'not always'}`, () => {
    const seeds = Array.from({ length: RUNS }, (_, index) => String(index + 1));

    const highest = seeds.filter((seed) => leaderOf(protocol, seed) === NODES);

    expect(highest.length === RUNS).toBe(isRanked);
  });

  const needing = BEHAVIOUR_NAMES.filter(
    (name) => BEHAVIOURS[name].needsTopId && BEHAVIOURS[name].unsupportedReason(protocol) === null,
  );

  it.each(needing)(`gives %s ${isRanked ? 'a top ID' : 'an ordinary one'} by default`, (name) => {
    const { forge } = planAttack(asked({ protocol, behaviours: [name] }));

    expect(forge).toBe(isRanked ? 'top' : 'none');
  });
});
