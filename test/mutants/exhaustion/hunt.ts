/**
 * @module
 * The search for a seeded bug: an instance of the checker, and the property that the bug violates in it.
 */

import type { CheckOptions, CheckResult } from '../../../src/checking/check.ts';
import { check } from '../../../src/checking/check.ts';
import { judgedOf } from '../../../src/checking/check-request.ts';
import { followedIn, honestLive, leadersIn } from '../../../src/checking/properties/followers.ts';
import { CHECKED_PROPERTIES } from '../../../src/checking/properties/registry.ts';
import type { CheckedProperty, History } from '../../../src/checking/property.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { requestOf, ringOf } from '../../../src/experiment/checks/request.ts';
import { parseSeed } from '../../../src/random.ts';
import { LED_AT_REST } from '../../checking/results/matrix.ts';
import type { Given } from '../../checking/small-instances.ts';
import { instanceOf } from '../../checking/small-instances.ts';
import { STEP_PROPERTIES } from './step-properties.ts';
import { SAFETY } from './step-property.ts';

export interface Hunt {
  readonly protocol: ProtocolName;
  readonly nodes: number;
  readonly given: Given;
  /** A property of the checker, or one of this file. */
  readonly property: string;
  /** The most messages of an execution, for the property `few-messages`. */
  readonly messagesMax?: number;
  /** A Byzantine node that may send one message of its own. By default there is none. */
  readonly byzantine?: number;
}

/** What a search and random walks found. */
export interface Caught {
  readonly type: CheckResult['type'];
  /** Number of steps of the violation; null without one. */
  readonly length: number | null;
  /** The same of the violation that random walks found. */
  readonly walked: number | null;
}

/** Worlds of a search. */
const STATES_MAX = 100_000;
/** Random schedules, and the actions of each. */
const WALKS = { count: 200, depth: 60, seed: parseSeed('1') };

/** Searches all worlds, and walks through them if there is a violation. */
export function hunt({
  protocol,
  nodes,
  given,
  property,
  messagesMax = 0,
  byzantine,
}: Hunt): Caught {
  const own = [LED_AT_REST, NEVER_BELOW, ALWAYS_AGREED, NEVER_LED, fewMessages(messagesMax)];
  const known = [...CHECKED_PROPERTIES, ...STEP_PROPERTIES, ...own];
  const properties = known.filter(({ name }) => name === property);
  if (properties.length === 0) throw new RangeError(`no property ${property}`);
  const plain = { instance: instanceOf(protocol, nodes, given), byzantine: new Set<number>() };
  const options: CheckOptions = {
    ...(byzantine === undefined ? plain : judgedOf(lying(protocol, nodes, byzantine))),
    properties,
    ...{ order: 'breadth', isReduced: true, statesMax: STATES_MAX, bytesMax: 2 ** 30 },
  };
  const searched = ended(check(options));
  const length = lengthOf(searched);
  const walked = length === null ? null : lengthOf(ended(check({ ...options, walks: WALKS })));
  return { type: searched.type, length, walked };
}

/** One node lies once; no message is signed. */
function lying(protocol: ProtocolName, nodes: number, byzantine: number) {
  return requestOf({
    ...{ protocol, ring: ringOf(nodes), timing: 'synchronous' },
    ...{ level: 'L0', byzantine: [{ rank: byzantine, behaviours: [] }], bounds: { lies: 1 } },
  });
}

function ended(steps: ReturnType<typeof check>): CheckResult {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function lengthOf(result: CheckResult): number | null {
  return result.type === 'violated' ? result.trace.address.length : null;
}

/** Invariant of Bully. */
const NEVER_BELOW: CheckedProperty = {
  ...SAFETY,
  name: 'never-below',
  description: 'no live node follows a lower one',
  holds: (view) => honestLive(view).every(({ rank, leader }) => leader === null || leader >= rank),
  breach: () => 'a node follows a lower one',
};

/** Assertion 1 of Garcia-Molina (1982) for protocols whose nodes follow a leader in a normal state only. */
const ALWAYS_AGREED: CheckedProperty = {
  ...SAFETY,
  name: 'always-agreed',
  description: 'no two live nodes ever follow different leaders',
  holds: (view) => [...followedIn(view)].filter((rank) => rank > 0).length < 2,
  breach: () => 'two nodes follow different leaders',
};

/** Half of the members are no majority. */
const NEVER_LED: CheckedProperty = {
  ...SAFETY,
  name: 'never-led',
  description: 'no live node leads',
  holds: (view) => leadersIn(view).length === 0,
  breach: () => 'a node leads',
};

/** A bound on the messages of an election, such as that of its author. */
function fewMessages(most: number): CheckedProperty {
  const sent: History<number, null> = {
    first: 0,
    notesOf: ({ effects }) => effects.flatMap(({ type }) => (type === 'send' ? [null] : [])),
    fold: (count) => Math.min(count + 1, most + 1),
  };
  return {
    ...SAFETY,
    name: 'few-messages',
    description: `at most ${most} messages are sent`,
    histories: [sent],
    holds: (view) => view.pastOf(sent) <= most,
    breach: () => `more than ${most} messages were sent`,
  };
}
