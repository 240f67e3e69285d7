/**
 * @module
 * The goal of counterexamples: an execution that violates a property of a protocol, once found by hand and once, the
 * shortest, by the model checker. The one by hand must end with more leaders than the checker stops at. A submission has
 * addresses of worlds, and the server walks to them by its own check.
 */

import { z } from 'zod';
import { check } from '../../../checking/check.ts';
import type { CheckRequest } from '../../../checking/check-request.ts';
import { searchOptionsOf, walkedOf } from '../../../checking/check-request.ts';
import { Walk } from '../../../checking/traces/walk.ts';
import type { Check } from '../../../experiment/checks/request.ts';
import { CHECK, requestOf } from '../../../experiment/checks/request.ts';
import type { Seed } from '../../../random.ts';
import { createRandom, shuffled } from '../../../random.ts';
import { defineGoal } from '../goal.ts';

/** The search for the shortest counterexample of an instance visits fewer worlds. */
const LIMITS = { statesMax: 200_000, bytesMax: 64 * 2 ** 20 };

/** Longer addresses are not compared with the instances of others: a solution has about ten steps. */
const COMPARED_STEPS_MAX = 40;

interface Task {
  readonly byHand: Check;
  readonly byCheck: Check;
  /** The nodes that must lead at the same time, in the order in which they must begin to. */
  readonly leaders: readonly number[];
  /** Found when it is needed. */
  readonly shortest: () => number;
}

export const COUNTEREXAMPLES = defineGoal({
  name: 'counterexamples',
  summary:
    'Find an execution in which given nodes lead at the same time, and a shortest one that violates a property.',
  submission: 'counterexamples',
  needs: [],
  parameters: {
    byHand: CHECK.describe(
      'The check to walk through. Its ring, and which of its nodes are initiators, are drawn. The lowest node that must lead is an initiator.',
    ),
    leaders: z
      .int()
      .min(3)
      .max(8)
      .describe(
        'Number of nodes that must lead at the same time. They and the order in which they begin to are drawn. A counterexample that the checker finds has two leaders.',
      ),
    byCheck: CHECK.describe(
      'The check whose shortest counterexample is asked for. Its ring and its initiators are drawn.',
    ),
  },
  criteria: {
    byHand: {
      weight: 1,
      meaning: 'The first address leads to a world in which the given nodes lead, in their order.',
    },
    byCheck: { weight: 1, meaning: 'The second address leads to a violation.' },
    shortest: { weight: 1, meaning: 'No counterexample is shorter than the second one.' },
  },
  task({ byHand, leaders: count, byCheck }, { seed }): Task {
    const searched = drawnCheck(byCheck, { seed: seed('check') });
    let length: number | null = null;
    const shortest = () => {
      length ??= shortestOf(requestOf(searched));
      return length;
    };
    const random = createRandom(seed('hand'), 'leaders');
    const leaders = shuffled(upIn(byHand), random).slice(0, count);
    const walked = drawnCheck(byHand, { seed: seed('hand'), initiator: Math.min(...leaders) });
    return { byHand: walked, byCheck: searched, leaders, shortest };
  },
  given: ({ byHand, byCheck, leaders }) => ({ byHand, leaders, byCheck }),
  judge({ byHand, byCheck, leaders, shortest }, answer) {
    const [hand, searched] = [
      missingLeaders(byHand, leaders, answer.byHand),
      missingViolation(byCheck, answer.byCheck),
    ];
    const extra = searched === null ? answer.byCheck.length - shortest() : 0;
    const long =
      extra <= 0
        ? null
        : `it has ${answer.byCheck.length} steps, and there is one with fewer: POST /v1/checks finds a shortest one`;
    return { byHand: hand, byCheck: searched, shortest: searched ?? long };
  },
  isOf: ({ byHand, leaders }, { byHand: address }) =>
    address.length <= COMPARED_STEPS_MAX && missingLeaders(byHand, leaders, address) === null,
  isOfOne: true,
});

/** The nodes of a check that are up. */
function upIn({ ring, crashedBefore = [] }: Check): readonly number[] {
  return ring.filter((rank) => !crashedBefore.includes(rank));
}

/** The check with a ring of the student's own, and as many initiators among the nodes that are up. */
function drawnCheck(
  document: Check,
  { seed, initiator }: { readonly seed: Seed; readonly initiator?: number },
): Check {
  const { ring, initiators } = document;
  const up = shuffled(upIn(document), createRandom(seed, 'initiators'));
  const first = initiator === undefined ? [] : [initiator];
  const drawn = [...new Set([...first, ...up])].slice(0, initiators?.length);
  return {
    ...document,
    ring: shuffled(ring, createRandom(seed, 'ring')),
    ...(initiators === undefined ? {} : { initiators: drawn.sort((one, other) => one - other) }),
  };
}

/** Why the nodes do not lead in this order at the end of a walk; null if they do. */
function missingLeaders(
  document: Check,
  leaders: readonly number[],
  address: readonly number[],
): string | null {
  if (address.length === 0) return 'there is no address';
  const walk = new Walk(walkedOf(requestOf(document)));
  let leading: readonly number[] = [];
  for (const [step, index] of address.entries()) {
    if (!walk.take(index)) return impossible(step, index);
    const now = walk.world.nodes.flatMap(({ up, leader }, at) =>
      up && leader === at + 1 ? [leader] : [],
    );
    const before = leading;
    leading = [
      ...before.filter((rank) => now.includes(rank)),
      ...now.filter((rank) => !before.includes(rank)),
    ];
  }
  const ordered = leading.filter((rank) => leaders.includes(rank));
  if (ordered.join() === leaders.join()) return null;
  const found = leading.length === 0 ? 'no node leads' : `these lead: ${leading.join(', ')}`;
  return `after the ${address.length} steps ${found}, in the order in which they began; the nodes ${leaders.join(', ')} must lead at the same time and begin in this order`;
}

function impossible(step: number, index: number): string {
  return `step ${step + 1} is not possible: there is no action ${index}; POST /v1/checks/worlds lists the possible ones`;
}

/** Why no property is violated at the end of a walk; null if one is. */
function missingViolation(document: Check, address: readonly number[]): string | null {
  if (address.length === 0) return 'there is no address';
  const walk = new Walk(walkedOf(requestOf(document)));
  const wrong = address.findIndex((index) => !walk.take(index));
  if (wrong >= 0) return impossible(wrong, address[wrong] ?? 0);
  const isViolated = walk
    .judge()
    .some(({ property, holds }) => property.kind === 'always' && !holds);
  if (isViolated) return null;
  return `every property holds after the ${address.length} steps: no two nodes lead at the same time`;
}

/** Steps of a shortest counterexample. */
function shortestOf(request: CheckRequest): number {
  const search = check(searchOptionsOf(request, LIMITS));
  for (;;) {
    const { done, value } = search.next();
    if (done !== true) continue;
    if (value.type === 'violated') return value.trace.address.length;
    throw new TypeError(`"byCheck" expected a check with a violation, got ${value.type}`);
  }
}
