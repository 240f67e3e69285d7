/**
 * @module
 * The refusal of a protocol that states a counter which its machine does not only compare, copy and raise. It names
 * the protocol, the counter, the step that shows it, and what is different there.
 */

import type { Json } from '../../election/machine.ts';
import type { Action } from '../../election/world/world.ts';
import type { World } from '../../election/world/world-state.ts';
import { LabError } from '../../errors.ts';

/** A step that a raised world does not make. */
interface Shown {
  readonly rank: number;
  /** The world before the step, which contains this node alone. */
  readonly world: World;
  readonly action: Action;
  /** The counters that were raised. */
  readonly names: readonly string[];
  readonly difference: string;
}

export function falseCounter(
  protocol: string,
  { rank, world, action, names, difference }: Shown,
): LabError {
  const counters = names.map((name) => JSON.stringify(name)).join(', ');
  return new LabError(
    'arguments',
    `protocol ${protocol}: "counters" is wrong for ${counters}: with higher values node ${rank}, when ${eventText(world, action)}, does something else: ${difference}. Name only numbers that the machine compares with each other, copies and raises, with every place that has them; or check with --terms exact`,
  );
}

/** What reaches the node of this world, as words that follow `when`. */
export function eventText({ inFlight: [flight] }: World, action: Action): string {
  switch (action.type) {
    case 'deliver':
      return `${flight?.message.type ?? 'a message'} arrives from ${flight?.from ?? 0}`;
    case 'timeout':
      return `timer ${action.timer} fires`;
    case 'choose':
      return `it chooses ${action.value}`;
    case 'suspect':
    case 'trust':
    case 'join':
      return `it gets ${action.type} about ${action.about}`;
    case 'start':
      return 'it starts';
    default:
      return `the event is ${action.type}`;
  }
}

/** What a step of this node leaves behind, by names that a reader knows. */
export function partsAfter({ nodes, inFlight, choices }: World, rank: number): Json {
  const { timers, ...node } = nodes[rank - 1] ?? {};
  const messages = inFlight.map(({ to, message }, index): [string, Json] => {
    // Messages are plain JSON data.
    const members = { ...message } as { readonly [name: string]: Json };
    return [`message ${index + 1}`, { to, ...members }];
  });
  return {
    ...node,
    timers: (timers ?? []).map((timer) => ({ ...timer })),
    ...Object.fromEntries(messages),
    choices: choices.map(({ below }) => below),
  };
}

/** The first member that is different, such as `state.votes is 3 instead of 6`. Null if there is none. */
export function firstDifference(expected: Json, got: Json, path: string): string | null {
  if (isMembers(expected) && isMembers(got)) {
    const names = new Set([...Object.keys(expected), ...Object.keys(got)]);
    for (const name of names) {
      const inner = path === '' ? name : `${path}.${name}`;
      const [one, other] = [expected[name], got[name]];
      const difference =
        one === undefined || other === undefined
          ? `${inner} is ${shown(other)} instead of ${shown(one)}`
          : firstDifference(one, other, inner);
      if (difference !== null) return difference;
    }
    return null;
  }
  const [one, other] = [shown(expected), shown(got)];
  return one === other ? null : `${path} is ${other} instead of ${one}`;
}

function isMembers(value: Json): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null;
}

function shown(value: Json | undefined): string {
  return value === undefined ? 'missing' : JSON.stringify(value);
}
