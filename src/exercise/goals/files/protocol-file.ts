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
import { createRandom, deriveSeed, shuffled } from '../../../random.ts';
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
const ANOTHER =
  'all checks hold, but they count only for a file that meets one of the other two demands';

interface Task {
  readonly protocol: (typeof PROTOCOL_NAMES)[number];
  readonly seed: (label: string) => Seed;
  readonly conformSeed: Seed;
}

/** The nodes that start are another part of an election than its options. */
type RingOptions = SimulationOptions & { readonly initiators: readonly number[] };
type Counts = Readonly<Record<string, number>>;

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
    conforms: {
      weight: 2,
      meaning:
        'All checks of `usurp conform` hold. Another protocol that holds them earns nothing.',
    },
    interoperates: {
      weight: 2,
      meaning:
        'In rings where every second node runs your file, the right node leads, after as many messages as in rings of the lab.',
    },
    messages: {
      weight: 1,
      meaning: 'The nodes send as many messages of each type as the nodes of the lab.',
    },
  },
  task: ({ protocol }, { seed, seedForAll }): Task => ({
    protocol,
    seed,
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
    const interoperates = attempted(() => failedRing(submitted, task));
    const messages = attempted(() => otherCounts(submitted, task));
    const isAnother = interoperates !== null && messages !== null;
    return {
      conforms: found.get('conforms') ?? (isAnother ? ANOTHER : null),
      interoperates,
      messages,
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
    simulation.start(options.initiators);
    const bound = simulation.advance({ until: 'idle', events: EVENTS_MAX });
    const ring = `${described(simulation.plan.ring, options)}, where the ${index % 2 === 0 ? 'odd' : 'even'} nodes run your file,`;
    if (bound !== 'idle') return `${ring} the election does not end within ${EVENTS_MAX} events`;
    const { verdict } = simulation.status();
    if (verdict.value !== 'true') return `${ring} the election fails: ${verdict.reason}`;
    const other = otherCount(countsOf(options), simulation.status().messages);
    if (other !== null) return `${ring} the nodes send ${other} if all run that of the lab`;
  }
  return null;
}

function otherCounts(submitted: Protocol, task: Task): string | null {
  for (let index = 0; index < RINGS; index += 1) {
    const options = optionsOf(task, index);
    const counts = countsOf({ ...options, protocol: nameOf(submitted.name) });
    const other = otherCount(countsOf(options), counts);
    if (other === null) continue;
    return `${described(planSimulation(options).ring, options)}, your nodes send ${other} if they run that of the lab`;
  }
  return null;
}

/** The first type of which another number was sent; null if there is none. */
function otherCount(expected: Counts, counts: Counts): string | null {
  const types = [...new Set([...Object.keys(expected), ...Object.keys(counts)])].toSorted();
  const other = types.find((type) => counts[type] !== expected[type]);
  if (other === undefined) return null;
  return `${counts[other] ?? 0} ${other === 'total' ? 'messages' : other}, and ${expected[other] ?? 0}`;
}

function described(ring: readonly number[], { initiators }: RingOptions): string {
  return `in the ring ${ring.join(' ')}, in which ${initiators.join(', ')} start`;
}

function countsOf(options: RingOptions): Counts {
  const simulation = createSimulation(options);
  simulation.start(options.initiators);
  simulation.advance({ until: 'idle', events: EVENTS_MAX });
  return simulation.status().messages;
}

/** A ring of the instance, and which of its nodes start. The level drops messages without the form of the protocol. */
function optionsOf({ protocol, seed }: Task, index: number): RingOptions {
  const random = createRandom(seed('rings'), index);
  const nodes = 3 + random.below(7);
  const latency = { type: 'uniform', ticksMin: 1, ticksMax: 1 + random.below(9) } as const;
  const ranks = Array.from({ length: nodes }, (_, before) => before + 1);
  const initiators = shuffled(ranks, random).slice(0, 1 + random.below(nodes));
  const ring = { protocol, nodes, latency, level: 'L0' } as const;
  return { ...ring, initiators, seed: deriveSeed(seed('rings'), index) };
}
