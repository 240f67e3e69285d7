/**
 * @module
 * This folder contains the goals of files, whose definitions run in a sandbox. This file is the goal of writing a
 * protocol in one file: it conforms to the contract of machines, works in rings whose other nodes
 * run the implementation of the lab, and sends the same messages as that one.
 */

import { z } from 'zod';
import type { Protocol } from '../../../election/definition/protocol.ts';
import { findProtocol, PROTOCOL_NAMES, PROTOCOLS } from '../../../election/registry.ts';
import type { Seed } from '../../../random.ts';
import { createRandom, deriveSeed } from '../../../random.ts';
import { firstFailures } from '../../../simulation/conform/conform.ts';
import { nameOf } from '../../../simulation/conform/finding.ts';
import { planSimulation } from '../../../simulation/plan/options.ts';
import type { SimulationOptions } from '../../../simulation/plan/plan.ts';
import { createSimulation } from '../../../simulation/run/simulation.ts';
import { attempted } from '../../machine-fault.ts';
import { defineGoal } from '../goal.ts';

/** Mixed rings, and rings whose messages are counted. */
const RINGS = 24;
/** Far more events than an election among so few nodes has. */
const EVENTS_MAX = 20_000;
/** Failed checks that a finding names. */
const SHOWN_MAX = 3;
const DETAIL_CHARACTERS_MAX = 240;

interface Task {
  readonly protocol: (typeof PROTOCOL_NAMES)[number];
  readonly seed: (label: string) => Seed;
  readonly conformSeed: Seed;
}

export const PROTOCOL_FILE = defineGoal({
  name: 'protocol-file',
  summary:
    'Submit a file with a protocol that conforms to the contract of machines, and that works among nodes which run the implementation of the lab.',
  submission: 'protocol',
  needs: ['definition'],
  parameters: {
    protocol: z.enum(PROTOCOL_NAMES).describe('The protocol, whose facts are those of the lab.'),
  },
  criteria: {
    conforms: { weight: 2, meaning: 'All checks of `usurp conform` hold.' },
    interoperates: {
      weight: 2,
      meaning: 'The right node leads in rings where every second node runs your file.',
    },
    messages: {
      weight: 1,
      meaning: 'The nodes send as many messages of each type as the nodes of the lab.',
    },
  },
  task: ({ protocol }, { seed, seedForAll }): Task => ({
    ...{ protocol, seed },
    conformSeed: seedForAll('conform'),
  }),
  given: ({ protocol }) => ({ protocol }),
  judge(task, _submission, { definition = '', found = new Map() }) {
    const submitted = findProtocol(definition);
    if (submitted === null)
      throw new TypeError(`"definition" expected a protocol, got ${definition}`);
    // It takes far longer than the rings, and does not depend on the student.
    if (!found.has('conforms')) {
      found.set(
        'conforms',
        attempted(() => failedChecks(submitted, task)),
      );
    }
    return {
      conforms: found.get('conforms') ?? null,
      interoperates: attempted(() => failedRing(submitted, task)),
      messages: attempted(() => otherCounts(submitted, task)),
    };
  },
  isOf: () => false,
});

function failedChecks(protocol: Protocol, { conformSeed }: Task): string | null {
  const failed = firstFailures({ protocol, seed: conformSeed });
  if (failed.length === 0) return null;
  const shown = failed
    .slice(0, SHOWN_MAX)
    .map(({ check, detail }) => `${check}: ${detail.slice(0, DETAIL_CHARACTERS_MAX)}`);
  const more = failed.length > shown.length ? `; and ${failed.length - shown.length} more` : '';
  return `\`usurp conform\` finds: ${shown.join('; ')}${more}`;
}

function failedRing(submitted: Protocol, task: Task): string | null {
  const own = PROTOCOLS[task.protocol];
  for (let index = 0; index < RINGS; index += 1) {
    const options = optionsOf(task, index);
    const { timing } = planSimulation(options);
    const machines = [own.create(timing), submitted.create(timing)] as const;
    const machineOf = (rank: number) => machines[(rank + index) % 2 === 0 ? 0 : 1];
    const simulation = createSimulation(options, machineOf);
    simulation.start();
    const bound = simulation.advance({ until: 'idle', events: EVENTS_MAX });
    const ring = `in the ring ${simulation.plan.ring.join(' ')} of your instance, where the ${index % 2 === 0 ? 'odd' : 'even'} nodes run your file,`;
    if (bound !== 'idle') return `${ring} the election does not end within ${EVENTS_MAX} events`;
    const { verdict } = simulation.status();
    if (verdict.value !== 'true') return `${ring} the election fails: ${verdict.reason}`;
  }
  return null;
}

function otherCounts(submitted: Protocol, task: Task): string | null {
  for (let index = 0; index < RINGS; index += 1) {
    const options = optionsOf(task, index);
    const expected = countsOf(options);
    const counts = countsOf({ ...options, protocol: nameOf(submitted.name) });
    const types = [...new Set([...Object.keys(expected), ...Object.keys(counts)])].toSorted();
    const other = types.find((type) => counts[type] !== expected[type]);
    if (other === undefined) continue;
    const { ring } = planSimulation(options);
    return `in the ring ${ring.join(' ')} your nodes send ${counts[other] ?? 0} ${other === 'total' ? 'messages' : other}, and those of the lab ${expected[other] ?? 0}`;
  }
  return null;
}

function countsOf(options: SimulationOptions): Readonly<Record<string, number>> {
  const simulation = createSimulation(options);
  simulation.start();
  simulation.advance({ until: 'idle', events: EVENTS_MAX });
  return simulation.status().messages;
}

/** A ring of the instance. The level drops messages without the form of the protocol. */
function optionsOf({ protocol, seed }: Task, index: number): SimulationOptions {
  const random = createRandom(seed('rings'), index);
  const nodes = 3 + random.below(7);
  const latency = { type: 'uniform', ticksMin: 1, ticksMax: 1 + random.below(9) } as const;
  return { protocol, nodes, latency, seed: deriveSeed(seed('rings'), index), level: 'L0' };
}
