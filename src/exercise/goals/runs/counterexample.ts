/**
 * @module
 * The goal of counterexamples: an execution that violates a property of a protocol, once found by hand and once, the
 * shortest, by the model checker. A submission has addresses of worlds, and the server walks to them by its own check.
 */

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

interface Task {
  readonly byHand: Check;
  readonly byCheck: Check;
  /** Found when it is needed. */
  readonly shortest: () => number;
}

export const COUNTEREXAMPLES = defineGoal({
  name: 'counterexamples',
  summary: 'Find an execution that violates a property: one by hand, and a shortest one.',
  submission: 'counterexamples',
  needs: [],
  parameters: {
    byHand: CHECK.describe('The check to walk through. Its ring and its initiators are drawn.'),
    byCheck: CHECK.describe('The check whose shortest counterexample is asked for.'),
  },
  criteria: {
    byHand: { weight: 1, meaning: 'The first address leads to a violation.' },
    byCheck: { weight: 1, meaning: 'The second address leads to a violation.' },
    shortest: { weight: 1, meaning: 'No counterexample is shorter than the second one.' },
  },
  task({ byHand, byCheck }, { seed }): Task {
    const searched = drawnCheck(byCheck, seed('check'));
    let length: number | null = null;
    const shortest = () => {
      length ??= shortestOf(requestOf(searched));
      return length;
    };
    return { byHand: drawnCheck(byHand, seed('hand')), byCheck: searched, shortest };
  },
  given: ({ byHand, byCheck }) => ({ byHand, byCheck }),
  judge({ byHand, byCheck, shortest }, answer) {
    const [hand, searched] = [
      missingViolation(byHand, answer.byHand),
      missingViolation(byCheck, answer.byCheck),
    ];
    const extra = searched === null ? answer.byCheck.length - shortest() : 0;
    const long =
      extra <= 0
        ? null
        : `it has ${answer.byCheck.length} steps, and there is one with fewer: POST /v1/checks finds a shortest one`;
    return { byHand: hand, byCheck: searched, shortest: searched ?? long };
  },
  isOf: () => false,
});

/** The check with a ring of the student's own, and as many initiators among the nodes that are up. */
function drawnCheck(document: Check, seed: Seed): Check {
  const { ring, initiators, crashedBefore = [] } = document;
  const up = ring.filter((rank) => !crashedBefore.includes(rank));
  const drawn = shuffled(up, createRandom(seed, 'initiators')).slice(0, initiators?.length);
  return {
    ...document,
    ring: shuffled(ring, createRandom(seed, 'ring')),
    ...(initiators === undefined ? {} : { initiators: drawn.sort((one, other) => one - other) }),
  };
}

/** Why no property is violated at the end of a walk; null if one is. */
function missingViolation(document: Check, address: readonly number[]): string | null {
  if (address.length === 0) return 'there is no address';
  const walk = new Walk(walkedOf(requestOf(document)));
  const wrong = address.findIndex((index) => !walk.take(index));
  if (wrong >= 0) {
    return `step ${wrong + 1} is not possible: there is no action ${address[wrong]}; POST /v1/checks/worlds lists the possible ones`;
  }
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
