/**
 * @module
 * Elections that end when their leader is certain: what the definition of a protocol argues holds in every schedule of a
 * small election and in drawn ones, and such an election sends far fewer messages than one that goes on until it rests.
 */

import { describe, expect, it } from 'vitest';

import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { apply, enabled } from '../../../src/election/world/world.ts';
import type { World } from '../../../src/election/world/world-state.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import { decideElection, simulateElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { plainLevels } from '../../checking/plain-search.ts';
import { instanceOf } from '../../checking/small-instances.ts';

// Every key is the name of a protocol.
const DECIDED = (Object.keys(PROTOCOLS) as ProtocolName[]).filter(
  (name) => PROTOCOLS[name].decided !== null,
);
const NODES = 3;
const DRAWN = 20;

const follow = ({ nodes }: Pick<World, 'nodes'>, leader: number) =>
  nodes.every((node) => node.leader === leader);

describe.each(DECIDED)('%s', (protocol) => {
  it('keeps its leader in every schedule once all nodes follow the highest', () => {
    const instance = instanceOf(protocol, NODES, { timing: 'synchronous' });
    let decided = 0;
    let changed = 0;

    plainLevels(instance, Number.POSITIVE_INFINITY, undefined, undefined, ({ world, starts }) => {
      if (starts.length > 0 || !follow(world, NODES)) return;
      decided += 1;
      for (const action of enabled(world, 'synchronous')) {
        if (!follow(apply(instance.cast, world, action), NODES)) changed += 1;
      }
    });

    expect(decided).toBeGreaterThan(10);
    expect(changed).toBe(0);
  });

  it('keeps it in drawn elections, event by event', () => {
    const random = createRandom(parseSeed('45'), protocol);
    for (let drawn = 0; drawn < DRAWN; drawn += 1) {
      const nodes = 2 + random.below(9);
      const most = 1 + random.below(50);
      const latency = { type: 'uniform', ticksMin: 1, ticksMax: most } as const;
      const seed = parseSeed(String(drawn));
      const simulation = createSimulation({ protocol, nodes, latency, seed });
      simulation.start();
      let isDecided = false;
      for (let bound = ''; bound !== 'idle'; ) {
        bound = simulation.advance({ until: 'idle', events: 1 });
        const isAgreed = simulation.nodes().every(({ leader }) => leader === nodes);
        expect(isAgreed || !isDecided, `${nodes} nodes, latency 1 to ${most}, seed ${drawn}`).toBe(
          true,
        );
        isDecided ||= isAgreed;
      }
      expect(isDecided).toBe(true);
    }
  });
});

it('ends a chatty election after at most three times the messages that its protocol states', () => {
  const options = {
    protocol: 'bully-oneshot',
    nodes: 60,
    latency: { type: 'uniform', ticksMin: 10, ticksMax: 50 },
    seed: parseSeed('1'),
  } as const;

  const whole = simulateElection(options);
  const { leader, messages } = decideElection(options, 'decided');
  const rested = decideElection(options, 'idle');

  expect(leader).toBe(60);
  expect(messages).toBeLessThanOrEqual(3 * PROTOCOLS['bully-oneshot'].messagesAbout(60));
  expect(whole.messages.total).toBeGreaterThan(50 * messages);
  expect(rested).toEqual({ leader: whole.leader, messages: whole.messages.total });
});

it('goes on to rest where no argument is stated', () => {
  const options = { protocol: 'cr-join', nodes: 20, seed: parseSeed('1') } as const;

  expect(decideElection(options, 'decided')).toEqual(decideElection(options, 'idle'));
});
